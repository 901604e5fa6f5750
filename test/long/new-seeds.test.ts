/**
 * Every random test of `npm test` once more, with the seed of this run: `npm run test:long` sets a new TEST_SEED and prints it.
 * A seed that fails is repeated with TEST_SEED=… on the file of the test itself.
 */
import { globSync, readFileSync } from 'node:fs';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { stopOwnServer } from '../build/postgres.ts';
import { SEED } from '../build/random.ts';
import { historiesContract } from '../store/contract/histories.ts';
import { openPostgresDatabase } from '../store/postgres-database.ts';
import { openSqliteFile } from '../store/sqlite-file.ts';

const HISTORIES = 200;

const TESTS = fileURLToPath(new URL('..', import.meta.url));
const isRandom = (file: string) => readFileSync(`${TESTS}${file}`, 'utf8').includes('/build/random.ts');

const files = globSync('**/*.test.ts', { cwd: TESTS, exclude: ['long/**'] }).filter(isRandom);
process.stdout.write(`TEST_SEED=${SEED}: ${files.length} files\n`);
for (const file of files.sort()) await import(`${TESTS}${file}`);

historiesContract(openSqliteFile, HISTORIES);
historiesContract(openPostgresDatabase, HISTORIES);
after(stopOwnServer);

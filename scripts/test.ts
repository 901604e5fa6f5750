/**
 * `npm test`: runs all tests, those that speak to the store in every way on PostgreSQL too. `npm test -- test/oauth` runs a part,
 * `npm test -- test/oauth/userinfo/userinfo.test.ts --name expired` the tests of a file with a word in their name.
 */
import { globSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { longestFirst, ON_POSTGRES } from './test-run/files.ts';
import { runTests } from './test-run/run-tests.ts';
import { startSharedParts } from './test-run/shared-parts.ts';

const { values, positionals: chosen } = parseArgs({ allowPositionals: true, options: { name: { type: 'string' } } });
const patterns = chosen.map(part => (/\.ts$/.test(part) ? part : `${part}/**/*.test.ts`));
/** For `npm run test:long` and `test:guides`, which name their folders. */
const OF_OTHERS = ['test/long/**', 'test/guides/**', 'test/packaging/**'];
const files =
  chosen.length > 0
    ? globSync(patterns, { exclude: ['test/citus/**'] })
    : globSync('test/**/*.test.ts', { exclude: ['test/citus/**', ...OF_OTHERS] });
if (files.length === 0) process.stderr.write(`There is no test in ${chosen.join(' ')}.\n`);
const { env, remove } = await startSharedParts(files);
const onPostgres = chosen.length > 0 ? [] : ON_POSTGRES;
const passed = await runTests({
  passes: [
    { name: '', files: longestFirst(files), env },
    { name: 'on PostgreSQL', files: longestFirst(onPostgres), env: { ...env, TEST_STORE: 'postgres' } },
  ],
  name: values.name,
});
await remove();
process.exit(passed ? 0 : 1);

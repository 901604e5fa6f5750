/**
 * `npm test`: runs all tests, those that speak to the store in every way on PostgreSQL too. `npm test -- test/http` runs a part,
 * `npm test -- test/http/userinfo.test.ts --name expired` the tests of a file with a word in their name.
 */
import { globSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startPostgres } from './postgres.ts';
import { makeRsaKeys } from './rsa-keys.ts';
import { longestFirst, ON_POSTGRES } from './test-run/files.ts';
import { runTests } from './test-run/run-tests.ts';

const { values, positionals: chosen } = parseArgs({ allowPositionals: true, options: { name: { type: 'string' } } });
const isWhole = chosen.length === 0;
const patterns = (isWhole ? ['test'] : chosen).map(part => (/\.ts$/.test(part) ? part : `${part}/**/*.test.ts`));
// Those of a Citus cluster are for `npm run test:citus`, those that take long for `npm run test:long`.
const exclude = ['test/citus/**', ...(chosen.some(part => part.startsWith('test/long')) ? [] : ['test/long/**'])];
const files = longestFirst(globSync(patterns, { exclude }));
if (files.length === 0) process.stderr.write(`There is no test in ${chosen.join(' ')}.\n`);

/** So few files make for themselves what they need of this, and start at once. */
const FEW = 5;
const isShared = files.length > FEW;
const rsaKeys = isShared ? await makeRsaKeys() : undefined;
// One server for all of them, each test with a database of its own. What is tested here is not the durability of the disk.
const postgres =
  isShared && !process.env.TEST_DATABASE_URL
    ? await startPostgres({ settings: { fsync: 'off', max_connections: '300' } })
    : undefined;
const env = {
  ...(postgres && { TEST_DATABASE_URL: postgres.url }),
  ...(rsaKeys && { TEST_RSA_KEYS: rsaKeys.path }),
  ...process.env,
};
const passed = await runTests({
  passes: [
    { name: '', files, env },
    { name: 'on PostgreSQL', files: isWhole ? ON_POSTGRES : [], env: { ...env, TEST_STORE: 'postgres' } },
  ],
  name: values.name,
});
await postgres?.remove();
rsaKeys?.remove();
process.exit(passed ? 0 : 1);

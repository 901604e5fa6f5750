/**
 * `npm run test:citus`: the tests of the store, of faults and of HTTP on a Citus cluster, then those of the cluster itself (test/citus).
 * The cluster is that of TEST_DATABASE_URL (its coordinator, in a database with the extension and the workers), or one of its own.
 * `npm run test:citus -- test/store` runs a part.
 */
import { globSync } from 'node:fs';
import { findCitus, startCitus } from './citus.ts';
import { makeRsaKeys } from './rsa-keys.ts';
import { ON_POSTGRES } from './test-run/files.ts';
import { runTests } from './test-run/run-tests.ts';

/** Tests of test/store and test/faults that say nothing about Citus, or whose means do not reach into a cluster. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'store/sqlite*': 'the embedded store',
  'store/citus-*': 'runs what is for Citus on a PostgreSQL without it, as `npm test` does',
  'store/postgres-array-literal': 'the driver alone, without a table of ours',
  'store/postgres-merge': 'no database',
  'store/postgres-backup': 'looks at the locks of pg_dump in one server; a cluster has locks on each',
  'store/postgres-exchange-races': 'looks at the waits of one server; a cluster has waits on each',
  'store/postgres-partitions': 'reads plans and partitions of one server; test/citus/partitions has those of a cluster',
  'store/postgres-growth': 'reads plans of one server',
  'store/postgres-purge': 'reads the log of waits of a server of its own',
  'store/postgres-timeouts': 'freezes a server of its own',
  'store/postgres-migrations': 'runs releases that never were, whose tables are not distributed',
  'store/schema': 'the catalog of one server; a cluster has functions of its own and no triggers',
  'store/event-filters': 'reads plans of one server',
  'store/deleted-*-bytes': 'searches the files of a server of its own',
  'faults/sqlite-*': 'the embedded store',
  'faults/overload': 'the embedded store',
  'faults/slow-clients': 'the embedded store',
  'faults/kill-postgres': 'kills a server of its own; test/citus/fail-over kills those of a cluster',
  'faults/fail-over': 'a primary of its own; test/citus/fail-over has those of a cluster',
};

/** The contract of the store takes several times as long as on one server: each of its parts has a database on three. */
const TIMEOUT_MS = 1_800_000;

const citus = findCitus();
if (process.env.TEST_DATABASE_URL === undefined && citus.kind === 'missing') {
  process.stderr.write(`${citus.advice}\n`);
  process.exit(69);
}
const chosen = process.argv.slice(2);
const leftOut = Object.keys(LEFT_OUT).map(name => `test/${name}.test.ts`);
const everything = [
  ...globSync(['test/store/**/*.test.ts', 'test/faults/**/*.test.ts', 'test/citus/**/*.test.ts'], { exclude: leftOut }),
  ...ON_POSTGRES,
].sort();
const files = everything.filter(file => chosen.length === 0 || chosen.some(part => file.startsWith(part)));
if (files.length === 0) process.stderr.write(`No test on Citus is in ${chosen.join(' ')}.\n`);
const isOfCluster = (file: string) => /\btest\/(faults|citus)\b/.test(file);
const rsaKeys = await makeRsaKeys();
const cluster = process.env.TEST_DATABASE_URL
  ? undefined
  : await startCitus({ isInMemory: true, settings: { fsync: 'off' } });
const env = {
  TEST_DATABASE_URL: cluster?.url,
  ...process.env,
  TEST_STORE: 'postgres',
  TEST_CITUS: 'true',
  TEST_RSA_KEYS: rsaKeys.path,
};
const passed = await runTests({
  passes: [
    { name: 'on Citus', files: files.filter(file => !isOfCluster(file)), env },
    {
      name: 'spread on Citus',
      files: files.filter(file => ON_POSTGRES.includes(file)),
      env: { ...env, TEST_CITUS_SPREAD: 'shop:3' },
    },
    { name: 'faults on Citus', files: files.filter(isOfCluster), env },
  ],
  timeoutMs: TIMEOUT_MS,
});
await cluster?.remove();
rsaKeys.remove();
process.exit(passed ? 0 : 1);

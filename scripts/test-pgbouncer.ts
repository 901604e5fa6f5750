/**
 * `npm run test:pgbouncer`: the store contract, the faults that concern the way to the database, and the HTTP tests of the pass on
 * PostgreSQL, through a PgBouncer in transaction mode. It is started here; or TEST_PGBOUNCER_URL is the address of one, whose
 * databases are those of the server of TEST_DATABASE_URL, where the role may create databases. `npm run test:pgbouncer -- FILE…` runs
 * a part.
 */
import { startPgbouncer } from './pgbouncer.ts';
import { ensureRecentPgbouncer } from './pgbouncer-program.ts';
import { startPostgres } from './postgres.ts';
import { makeRsaKeys } from './rsa-keys.ts';
import { ON_POSTGRES } from './test-run/files.ts';
import { runTests } from './test-run/run-tests.ts';

/**
 * Not among them: kill-postgres and fail-over, which run servers of their own that no pooler leads to (a killed pooler is
 * in test/assembly/pgbouncer-transaction.test.ts); clock, overload, slow-clients and those of SQLite, which are not about PostgreSQL; of
 * test/store, what looks into connections or migrations, which go past the pooler.
 */
const FAULTS = [
  'caches',
  'kill-node',
  'lost-act',
  'lost-answer',
  'races',
  'single-use-races',
  'slow-database',
  'webhooks',
];
const STORE = ['postgres-accounts', 'postgres-tokens'];
const files = [
  ...STORE.map(name => `test/store/${name}.test.ts`),
  ...FAULTS.map(name => `test/faults/${name}.test.ts`),
  ...ON_POSTGRES,
];
/** Fewer connections than the ten of one process: they are shared, as they are in use. */
const POOL = {
  pool_mode: 'transaction',
  default_pool_size: '8',
  max_prepared_statements: '200',
  max_client_conn: '1000',
};

interface Pooler {
  readonly env: NodeJS.ProcessEnv;
  stop(): Promise<void>;
}

async function pooler(): Promise<Pooler> {
  const { TEST_PGBOUNCER_URL: given, TEST_DATABASE_URL: server } = process.env;
  if (given !== undefined) {
    if (server === undefined)
      leave('TEST_PGBOUNCER_URL needs TEST_DATABASE_URL, the address of the server without PgBouncer.');
    return { env: {}, stop: async () => {} };
  }
  const program = ensureRecentPgbouncer();
  if (program.kind === 'missing') leave(program.advice);
  const postgres = await startPostgres({ settings: { fsync: 'off', max_connections: '300' } });
  const options = { program: program.path, settings: POOL, everyDatabase: true };
  const started = await startPgbouncer(postgres.url, options);
  return {
    env: { TEST_DATABASE_URL: postgres.url, TEST_PGBOUNCER_URL: started.url },
    stop: async () => {
      await started.stop();
      await postgres.remove();
    },
  };
}

function leave(advice: string): never {
  process.stderr.write(`${advice}\n`);
  process.exit(69);
}

const { env, stop } = await pooler();
const rsaKeys = await makeRsaKeys();
const chosen = process.argv.slice(2);
/** The store contract is one file. */
const TIMEOUT_MS = 900_000;
const passed = await runTests({
  passes: [
    {
      name: 'through PgBouncer',
      files: chosen.length > 0 ? chosen : files,
      env: { ...process.env, ...env, TEST_STORE: 'postgres', TEST_RSA_KEYS: rsaKeys.path },
    },
  ],
  timeoutMs: TIMEOUT_MS,
});
rsaKeys.remove();
await stop();
process.exit(passed ? 0 : 1);

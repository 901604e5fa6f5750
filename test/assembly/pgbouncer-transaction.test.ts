import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, afterEach, beforeEach, describe, it } from 'node:test';
import { Client } from 'pg';
import { type RunningPgbouncer, startPgbouncer } from '../../scripts/pgbouncer.ts';
import { ensurePgbouncer, ensureRecentPgbouncer, type PgbouncerProgram } from '../../scripts/pgbouncer-program.ts';
import { openPostgresStore } from '../../src/assembly/store.postgres.ts';
import { keyOf } from '../../src/platform/crypto/credential.ts';
import { aTokenSet, isActive, refresh } from '../build/client.ts';
import { type Ran, runCommand } from '../build/command.ts';
import { createDatabase, stopOwnServer, type TestDatabase } from '../build/postgres.ts';
import { startTestServer, TEST_SECRET } from '../build/test-server.ts';
import { until } from '../build/until.ts';
import { given } from '../faults/given.ts';
import { assertKept, startLoad, summary } from '../faults/load.ts';
import { refusals, untilServed } from '../faults/load-outcomes.ts';
import { startCluster } from '../faults/nodes.ts';
import { startProxy } from '../faults/proxy.ts';
import { application, NOW } from '../store/contract/given.ts';
import { type TemporaryFolder, temporaryFolder } from '../store/temporary-folder.ts';
import { nodeStart, type Started, startInProcess } from './run.ts';

const recent = ensureRecentPgbouncer();
const SMALL_POOL = { pool_mode: 'transaction', default_pool_size: '3', max_prepared_statements: '50' };

after(stopOwnServer);

describe('behind PgBouncer in transaction mode, with DATABASE_LISTEN_URL', () => {
  let folder: TemporaryFolder;
  let database: TestDatabase;
  let bouncer: RunningPgbouncer | undefined;
  const running: Started[] = [];
  beforeEach(async () => {
    folder = temporaryFolder();
    database = await createDatabase();
  });
  afterEach(async () => {
    for (const server of running.splice(0)) await server.destroy();
    await bouncer?.stop();
    bouncer = undefined;
    await database.drop();
    folder.remove();
  });

  const start = async (
    settings: Record<string, string> = SMALL_POOL,
    found: PgbouncerProgram = recent,
    { behind = database.url, connection }: { behind?: string; connection?: string } = {},
  ) => {
    if (found.kind === 'missing') throw new Error(found.advice);
    bouncer = await startPgbouncer(behind, { program: found.path, settings, connection });
    return bouncer;
  };
  const environment = (url: string, listen = database.url) => ({
    DATABASE_URL: url,
    DATABASE_LISTEN_URL: listen,
    GATEHOUSE_SECRET: TEST_SECRET,
    PORT: '0',
    BASE_URL: 'http://127.0.0.1:3000',
  });
  const command = (env: Record<string, string>, ...args: string[]): Promise<Ran> => runCommand(args, env);
  const assertRefused = async (env: Record<string, string>, why: RegExp) => {
    const { code, err } = await command(env, 'migrate');
    assert.equal(code, 78, err);
    assert.match(err, why);
  };
  /** What a connection through the pooler has that sets nothing itself. */
  const settingsOf = async (url: string, ...names: string[]) => {
    const client = new Client(url);
    await client.connect();
    const { rows } = await client.query('SELECT setting FROM pg_settings WHERE name = ANY ($1) ORDER BY name', [names]);
    await client.end();
    return rows.map(({ setting }) => setting);
  };

  it('two nodes share a pool of three connections, and a killed PgBouncer loses nothing', async t => {
    const { url, kill, start: again } = await start();
    const env = { DATABASE_LISTEN_URL: database.url };
    const { cookie, close } = await given(url, {}, env);
    t.after(close);
    const cluster = await startCluster({ databaseUrl: url, env }, 2);
    t.after(cluster.stop);
    const load = startLoad(cluster.nodes, cookie, { clients: 8 });
    await until('work', () => load.sets.length > 50);
    const refusedBefore = refusals(load);
    await kill();
    await until('a client notices', () => refusals(load) > refusedBefore);
    await again();
    await untilServed(load);
    const served = load.sets.length;
    await until('work again', () => load.sets.length > served + 20);
    await load.stop();
    t.diagnostic(summary(load));
    assert.deepEqual(load.tally.wrong, []);
    await assertKept(cluster.nodes, load.sets);
    const [own] = await database.query(
      `SELECT count(*) FILTER (WHERE query = 'LISTEN gatehouse_registry')::int AS listening, count(*)::int AS connections
       FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    assert.equal(own?.listening, 2);
    // And perhaps one for maintenance.
    assert((own?.connections as number) <= 3 + 2 + 1, `${own?.connections} connections`);
    for (const node of cluster.nodes) assert.equal(await node.stop(), 0);
  });

  it('PgBouncer loses its connection between a commit and its answer: the refresh is repeated, with one successor', async t => {
    const proxy = await startProxy(database.url);
    t.after(() => proxy.close());
    const { url } = await start(SMALL_POOL, recent, { behind: proxy.url });
    const server = await startTestServer({ env: { DATABASE_URL: url, DATABASE_LISTEN_URL: database.url } });
    t.after(() => server.close());
    const set = await aTokenSet(server);
    const cut = proxy.cutAfter(Buffer.from(keyOf(set.refresh_token).toString('hex')), 'answered');
    const { status, json, text } = await refresh(server, set.refresh_token);
    await cut;
    assert.equal(status, 200, text);
    assert.equal(await isActive(server, json.refresh_token), true);
    const [row] = await database.query('SELECT count(*)::int AS count FROM refresh_tokens');
    assert.equal(row?.count, 2);
  });

  it('a change of the registry at one store reaches another by NOTIFY', async () => {
    const { url } = await start();
    const address = { hosts: [url], direct: { hosts: [database.url], roleTimeoutMs: 5000 } };
    const [one, other] = [await openPostgresStore(address), await openPostgresStore(address)];
    let told = 0;
    other.onRegistryChange(() => told++);
    await until('the listener is there', () => told === 1);
    await one.provision([{ kind: 'application', application: application({ code: 'desk' }) }]);
    await until('the change is told', () => told === 2);
    await Promise.all([one.close(), other.close()]);
  });

  it('requests have the settings of the role, migrations and long transactions have not', async () => {
    const { url } = await start();
    const { code, err } = await command({ ...environment(url), DATABASE_TIMEOUT: '2' }, 'migrate');
    assert.equal(code, 0, err);
    const names = ['enable_seqscan', 'lock_timeout', 'plan_cache_mode', 'statement_timeout'];
    assert.deepEqual(await settingsOf(url, ...names), ['off', '500', 'force_generic_plan', '2000']);
    const store = await openPostgresStore({
      hosts: [url],
      direct: { hosts: [database.url], roleTimeoutMs: 50 },
    });
    // A purge takes longer than a request may.
    await database.query(
      'CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.2); RETURN NULL; END $$',
    );
    await database.query('CREATE TRIGGER slow BEFORE DELETE ON nodes FOR EACH STATEMENT EXECUTE FUNCTION slow()');
    assert.equal((await store.purge(NOW, 10)).complete, true);
    await store.close();
  });

  it('apply works, and leaves no lock and no prepared statement of its own name in the pool', async () => {
    const { url } = await start();
    writeFileSync(folder.file('apply.json'), JSON.stringify({ applications: [{ code: 'desk', name: 'Desk' }] }));
    for (const expected of [/desk/, /unchanged|up to date|Nothing/i]) {
      const { code, out, err } = await command(environment(url), 'apply', folder.file('apply.json'));
      assert.equal(code, 0, err);
      assert.match(out, expected);
    }
    // Of this database: pg_locks has those of other tests on the same server too.
    const left = await database.query(
      `SELECT objid FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
        WHERE locktype = 'advisory' AND datname = current_database()`,
    );
    assert.deepEqual(left, []);
  });

  it('connections of the pool from before the role had its settings are replaced', async () => {
    const { url } = await start({ ...SMALL_POOL, min_pool_size: '3' });
    const before = Array.from({ length: 3 }, () => new Client(url));
    await Promise.all(before.map(client => client.connect()));
    await Promise.all(before.map(client => client.query('SELECT pg_sleep(0.1)')));
    assert.deepEqual(await settingsOf(url, 'enable_seqscan'), ['on']);
    const { code, err } = await command(environment(url), 'migrate');
    assert.equal(code, 0, err);
    const seen = await Promise.all(
      before.map(client => client.query("SELECT current_setting('enable_seqscan') AS setting, pg_sleep(0.1)")),
    );
    assert.deepEqual(
      seen.map(({ rows }) => rows[0].setting),
      ['off', 'off', 'off'],
    );
    await Promise.all(before.map(client => client.end()));
  });

  it('a pooler that changes the settings of the role: the start waits, and says what to do', async () => {
    const { url } = await start({ ...SMALL_POOL }, recent, {
      connection: "connect_query='SET enable_seqscan = on'",
    });
    const server = nodeStart(environment(url));
    running.push(server);
    await server.printed('waiting for the database: connections of the pooler do not have the settings of the role');
    assert.match(server.output(), /connect_query .* RECONNECT .* \(enable_seqscan\)/);
  });

  it('a PgBouncer that does not keep prepared statements is refused: too old, or told not to', async () => {
    const { url } = await start({ pool_mode: 'transaction' }, ensurePgbouncer());
    await assertRefused(environment(url), /does not keep prepared statements: use PgBouncer 1\.21 or later/);
    await bouncer?.stop();
    const without = await start({ ...SMALL_POOL, max_prepared_statements: '0' });
    await assertRefused(environment(without.url), /max_prepared_statements above 0/);
    await bouncer?.stop();
    const byStatement = await start({ ...SMALL_POOL, pool_mode: 'statement' });
    await assertRefused(environment(byStatement.url), /by statement: use pool_mode = transaction or session/);
  });

  it('DATABASE_LISTEN_URL that is itself the pooler, or leads to another database, is refused', async () => {
    const { url } = await start();
    await assertRefused(
      environment(url, url),
      /^DATABASE_LISTEN_URL leads to a pooler .* must lead to PostgreSQL directly/m,
    );
    const other = await createDatabase();
    await assertRefused(environment(url, other.url), /must lead to the same database .* the database is another one/);
    await other.drop();
  });

  it('in session mode it serves as well', async () => {
    const { url } = await start({ pool_mode: 'session', default_pool_size: '40' });
    const server = startInProcess(environment(url));
    running.push(server);
    await server.printed('"event":"started"');
  });
});

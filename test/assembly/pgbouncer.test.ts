import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, afterEach, beforeEach, describe, it } from 'node:test';
import { Client } from 'pg';
import { freePort } from '../../scripts/free-port.ts';
import { type RunningPgbouncer, startPgbouncer } from '../../scripts/pgbouncer.ts';
import { ensurePgbouncer } from '../../scripts/pgbouncer-program.ts';
import { type Ran, runCommand } from '../build/command.ts';
import { createDatabase, stopOwnServer, type TestDatabase } from '../build/postgres.ts';
import { TEST_SECRET } from '../build/test-server.ts';
import { until } from '../build/until.ts';
import { given } from '../faults/given.ts';
import { assertKept, startLoad, summary } from '../faults/load.ts';
import { startCluster, startNode } from '../faults/nodes.ts';
import { type TemporaryFolder, temporaryFolder } from '../store/temporary-folder.ts';
import { nodeStart, type Started, startInProcess } from './run.ts';

const installed = ensurePgbouncer();
/** For each process, as docs/operations.md has it. */
const CONNECTIONS = 12;

after(stopOwnServer);

describe('behind PgBouncer', () => {
  let folder: TemporaryFolder;
  let database: TestDatabase;
  let bouncer: RunningPgbouncer | undefined;
  const running: Started[] = [];
  beforeEach(async () => {
    folder = temporaryFolder();
    writeFileSync(folder.file('apply.json'), JSON.stringify({ applications: [{ code: 'desk', name: 'Desk' }] }));
    database = await createDatabase();
  });
  afterEach(async () => {
    for (const server of running.splice(0)) server.destroy();
    await bouncer?.stop();
    bouncer = undefined;
    await database.drop();
    folder.remove();
  });

  const start = async (settings: Record<string, string>) => {
    if (installed.kind === 'missing') throw new Error(installed.advice);
    bouncer = await startPgbouncer(database.url, { program: installed.path, settings });
    return bouncer.url;
  };
  /** As another program leaves the pool: with a few idle connections. */
  const fillPool = async (url: string) => {
    const clients = Array.from({ length: 3 }, () => new Client(url));
    await Promise.all(clients.map(client => client.connect()));
    await Promise.all(clients.map(client => client.query('SELECT pg_sleep(0.1)')));
    await Promise.all(clients.map(client => client.end()));
  };
  const environment = (url: string) => ({
    DATABASE_URL: url,
    GATEHOUSE_SECRET: TEST_SECRET,
    PORT: '0',
    BASE_URL: 'http://127.0.0.1:3000',
  });
  const command = (url: string, ...args: string[]): Promise<Ran> => runCommand(args, environment(url));
  /** Whatever is asked for here, the pool is left as it was. */
  const assertUntouched = async () => {
    const locks = await database.query(
      "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
    );
    assert.deepEqual(locks, [], 'a lock was left behind');
    assert.deepEqual(
      await database.query("SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace"),
      [],
    );
    const client = new Client(bouncer?.url);
    await client.connect();
    for (const setting of ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']) {
      assert.equal((await client.query(`SHOW ${setting}`)).rows[0][setting], '0', `${setting} was left behind`);
    }
    await client.end();
  };

  for (const [name, settings] of [
    ['transaction', { pool_mode: 'transaction' }],
    ['transaction, with one connection', { pool_mode: 'transaction', default_pool_size: '1' }],
    ['transaction, with idle connections', { pool_mode: 'transaction', min_pool_size: '6' }],
    ['transaction, in turn', { pool_mode: 'transaction', min_pool_size: '6', server_round_robin: '1' }],
    ['transaction, two in turn', { pool_mode: 'transaction', default_pool_size: '2', server_round_robin: '1' }],
    ['statement', { pool_mode: 'statement' }],
  ] as const) {
    it(`pool_mode = ${name}: the start is refused with a line that says why, and exit 78`, async () => {
      const url = await start(settings);
      await fillPool(url);
      const server = startInProcess(environment(url));
      assert.equal(await server.ended, 78);
      assert.match(
        server.output(),
        /^DATABASE_URL leads to a pooler .* 1\.21 .* DATABASE_LISTEN_URL, .* use pool_mode = session, or connect .* directly$/m,
      );
      await assertUntouched();
    });
  }

  it('pool_mode = transaction: apply, migrate, copy and workers are refused as well', async () => {
    const url = await start({ pool_mode: 'transaction' });
    const copied = ['copy', '--from', url, '--to', `sqlite:${folder.file('copy.db')}`];
    for (const args of [['apply', folder.file('apply.json')], ['migrate'], copied]) {
      const { code, err } = await command(url, ...args);
      assert.equal(code, 78, `${args[0]}: ${err}`);
      assert.match(err, /^DATABASE_URL leads to a pooler/m);
    }
    const server = nodeStart({ ...environment(url), GATEHOUSE_WORKERS: '2' });
    running.push(server);
    assert.equal(await server.ended, 78);
    await assertUntouched();
  });

  it('pool_mode = transaction: others in the pool do not hide it', async () => {
    const url = await start({ pool_mode: 'transaction', default_pool_size: '8' });
    const others = Array.from({ length: 6 }, () => new Client(url));
    let going = true;
    const busy = others.map(async client => {
      await client.connect();
      while (going) await client.query('SELECT pg_sleep(0.002)');
      await client.end();
    });
    for (let time = 0; time < 3; time++) {
      const { code, err } = await command(url, 'migrate');
      assert.equal(code, 78, err);
    }
    going = false;
    await Promise.all(busy);
  });

  it('pool_mode = session with too small a pool: the start says so', async () => {
    const url = await start({ pool_mode: 'session', default_pool_size: '1' });
    const server = nodeStart({ ...environment(url), DATABASE_TIMEOUT: '1' });
    running.push(server);
    await server.printed('waiting for the database: it answers on one connection, and not on a second');
  });

  it('pool_mode = session: two nodes serve whole flows, a third starts, and apply works', async t => {
    const processes = 4;
    const url = await start({ pool_mode: 'session', default_pool_size: String(processes * CONNECTIONS) });
    const { cookie, close } = await given(database.url);
    const cluster = await startCluster({ databaseUrl: url }, 2);
    const load = startLoad(cluster.nodes, cookie, { clients: 8 });
    await until('work', () => load.sets.length > 50);
    const nodes = [...cluster.nodes, await startNode({ databaseUrl: url }, await freePort(), cluster.base)];
    const { code, out, err } = await command(url, 'apply', folder.file('apply.json'));
    await load.stop();
    t.diagnostic(summary(load));
    assert.equal(code, 0, err);
    assert.match(out, /desk/);
    assert.deepEqual(load.tally.wrong, []);
    await assertKept(nodes, load.sets);
    for (const node of nodes) assert.equal(await node.stop(), 0);
    await close();
  });
});

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { freePort } from '../../scripts/free-port.ts';
import { type PostgresServer, startPostgres } from '../../scripts/postgres.ts';
import { type Ran, runSaying } from '../assembly/run.ts';
import { withoutWaiting } from '../build/command.ts';
import { createDatabase, type TestDatabase } from '../build/postgres.ts';
import { TEST_SECRET } from '../build/test-server.ts';
import { type Given, given } from '../faults/given.ts';
import { assertKept, FAMILIES_PER_CODE, type Load, startLoad, summary } from '../faults/load.ts';
import { assertAnswered, untilRefused, untilServed, untilWorked } from '../faults/load-outcomes.ts';
import { type Cluster, startCluster } from '../faults/nodes.ts';
import { mountSmallDisk, type SmallDisk } from '../faults/small-disk.ts';
import { query } from '../faults/standby.ts';
import { introspect } from '../faults/wire.ts';

const UNAVAILABLE = 69;

describe('PostgreSQL refuses to write', () => {
  let disk: SmallDisk;
  let server: PostgresServer;
  let database: TestDatabase;
  let start: Given;
  let cluster: Cluster;
  before(async () => {
    // Everything of the databases is on the small disk; the write-ahead log is not.
    disk = mountSmallDisk(96);
    server = await startPostgres();
    await query(server.url, `CREATE TABLESPACE small LOCATION '${disk.folder}'`);
    database = await createDatabase(server.url);
    await query(server.url, `ALTER DATABASE ${name()} SET TABLESPACE small`);
    start = await given(database.url);
    cluster = await startCluster({ databaseUrl: database.url }, 1);
  });
  after(async () => {
    await cluster?.stop();
    await start?.close();
    await server?.kill();
    await server?.remove();
    disk?.remove();
  });

  const name = () => new URL(database.url).pathname.slice(1);
  const assertCalm = async (load: Load) => {
    assertAnswered(load);
    assert.deepEqual((await database.query(FAMILIES_PER_CODE))[0], { shared: 0, without_code: 0 });
    await assertKept(cluster.nodes, load.sets);
  };
  const startOnce = async (): Promise<Ran> => {
    const port = String(await freePort());
    const env = { PORT: port, DATABASE_URL: database.url, GATEHOUSE_SECRET: TEST_SECRET, GATEHOUSE_DEMO: 'false' };
    return runSaying(process.execPath, ['src/main.ts'], env);
  };
  const assertOneLine = ({ code, out, err }: Ran, line: RegExp) => {
    assert.equal(code, UNAVAILABLE, out + err);
    assert.match(withoutWaiting(err), /^[^\n]+\n$/);
    assert.match(withoutWaiting(err), line);
  };

  it('its disk is full: 503 while it lasts, lookups go on, and nothing is damaged', async t => {
    const load = startLoad(cluster.nodes, start.cookie, { clients: 4 });
    await untilWorked(load, 20);
    disk.fill();
    await untilRefused(load, 20);
    const { access } = load.sets[0] as Load['sets'][number];
    const looked = await Promise.all(cluster.nodes.map(node => introspect(node, access)));
    disk.free();
    const gap = await untilServed(load);
    await untilWorked(load, 5);
    await load.stop();
    t.diagnostic(`${summary(load)}; served again after ${gap} ms`);
    assert.deepEqual(
      looked.map(({ json }) => json?.active),
      [true],
    );
    await assertCalm(load);
  });

  it('it was made read-only: 503 while it lasts, a node says so at its start, and all goes on by itself', async t => {
    const load = startLoad(cluster.nodes, start.cookie, { clients: 4 });
    await untilWorked(load, 20);
    await query(server.url, 'ALTER SYSTEM SET default_transaction_read_only = on');
    server.signal('SIGHUP');
    await untilRefused(load, 20);
    const started = await startOnce();
    await query(server.url, 'ALTER SYSTEM SET default_transaction_read_only = off');
    server.signal('SIGHUP');
    const gap = await untilServed(load);
    await untilWorked(load, 5);
    await load.stop();
    t.diagnostic(`${summary(load)}; served again after ${gap} ms; a start said: ${started.err.trimEnd()}`);
    assertOneLine(started, /takes no writes/);
    assert.match(started.err, /^waiting for the database: this server takes no writes$/m);
    await assertCalm(load);
  });

  it('its schema is newer than this release: the start ends with one line, and the nodes that run go on', async t => {
    const before = await database.query('SELECT * FROM schema_migrations ORDER BY number');
    await database.query("INSERT INTO schema_migrations (number, name) VALUES (999, 'of a later release')");
    const started = await startOnce();
    t.diagnostic(`exit code ${started.code}: ${started.err.trimEnd()}`);
    assertOneLine(started, /schema of the database is number 999/);
    const load = startLoad(cluster.nodes, start.cookie, { clients: 4 });
    // A node that minded the schema would answer 503 to everything. A single 503 may also come from a machine that stood still.
    await untilWorked(load, 10);
    await load.stop();
    await database.query('DELETE FROM schema_migrations WHERE number = 999');
    assert.deepEqual(await database.query('SELECT * FROM schema_migrations ORDER BY number'), before);
    await assertCalm(load);
  });
});

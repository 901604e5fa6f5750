import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { type PostgresServer, startPostgres } from '../../scripts/postgres.ts';
import { createDatabase, type TestDatabase } from '../build/postgres.ts';
import { until } from '../build/until.ts';
import { type Given, given } from '../faults/given.ts';
import { assertKept, FAMILIES_PER_CODE, startLoad, summary } from '../faults/load.ts';
import { assertAnswered, refusals, untilRefused, untilServed, untilWorked } from '../faults/load-outcomes.ts';
import { type Cluster, startCluster } from '../faults/nodes.ts';
import { mountSmallDisk, type SmallDisk } from '../faults/small-disk.ts';
import { query } from '../faults/standby.ts';

describe('the disk of the write-ahead log is full', () => {
  let disk: SmallDisk;
  let server: PostgresServer;
  let database: TestDatabase;
  let start: Given;
  let cluster: Cluster;
  before(async () => {
    disk = mountSmallDisk(96);
    server = await startPostgres({ settings: { max_wal_size: '64MB', min_wal_size: '32MB' } });
    await server.stop();
    moveLog(server.folder, disk.folder);
    await server.start();
    database = await createDatabase(server.url);
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

  it('PostgreSQL gives up, and after it was given room and started again everything acknowledged is there', async t => {
    const load = startLoad(cluster.nodes, start.cookie, { clients: 4 });
    await untilWorked(load, 20);
    disk.fill();
    // It goes on in the files it has made ahead; the first that it has to make ends it.
    await until('PostgreSQL gives up', async () => {
      await query(server.url, 'SELECT pg_switch_wal()').catch(() => {});
      return refusals(load) > 0;
    });
    await untilRefused(load, 50);
    await server.kill();
    disk.free();
    await server.start();
    const gap = await untilServed(load);
    await untilWorked(load, 5);
    await load.stop();
    t.diagnostic(`${summary(load)}; served again after ${gap} ms`);
    assertAnswered(load);
    assert.deepEqual((await database.query(FAMILIES_PER_CODE))[0], { shared: 0, without_code: 0 });
    await assertKept(cluster.nodes, load.sets);
  });
});

function moveLog(data: string, to: string): void {
  const ran = spawnSync('sh', ['-c', 'mv "$0"/pg_wal/* "$1" && rmdir "$0/pg_wal" && ln -s "$1" "$0/pg_wal"', data, to]);
  assert.equal(ran.status, 0, String(ran.stderr));
}

import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../scripts/free-port.ts';
import { type PostgresServer, startPostgres } from '../../scripts/postgres.ts';
import { createDatabase, type TestDatabase } from '../build/postgres.ts';
import { type Given, given } from './given.ts';
import { assertKept, FAMILIES_PER_CODE, type Load, startLoad, summary } from './load.ts';
import { assertAnswered, refusals, until, untilServed } from './load-outcomes.ts';
import { type Cluster, startCluster, startNode } from './nodes.ts';
import { authorize } from './wire.ts';

const KILLS = 3;
const DOWN_MS = 2500;
const FROZEN_MS = 5000;

describe('PostgreSQL dies or freezes under load', () => {
  let server: PostgresServer;
  let database: TestDatabase;
  let start: Given;
  let cluster: Cluster;
  before(async () => {
    server = await startPostgres();
    database = await createDatabase(server.url);
    start = await given(database.url);
    cluster = await startCluster({ databaseUrl: database.url });
  });
  after(async () => {
    await cluster?.stop();
    await start?.close();
    await server?.kill();
    await server?.remove();
  });

  const assertCalm = async (t: TestContext, load: Load, gaps: readonly number[]) => {
    const recovered = gaps.map(gap => Math.round(gap)).join(', ');
    t.diagnostic(`${summary(load)}; nodes served again after ${recovered} ms`);
    assertAnswered(load);
    assert(refusals(load) > 0, 'no client noticed the fault');
    assert(gaps.every(gap => gap < 5000));
    assert.deepEqual((await database.query(FAMILIES_PER_CODE))[0], { shared: 0, without_code: 0 });
    await assertKept(cluster.nodes, load.sets);
  };

  it('kill -9 of the whole server, 3 times: 503 in time, nothing acknowledged is lost, nodes recover by themselves', async t => {
    const load = startLoad(cluster.nodes, start.cookie);
    const gaps: number[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const before = load.sets.length;
      await until('work', () => load.sets.length > before + 20);
      await server.kill();
      await pause(DOWN_MS);
      await server.start();
      gaps.push(await untilServed(load));
    }
    await pause(300);
    await load.stop();
    await assertCalm(t, load, gaps);
  });

  it('frozen for 5 s: 503 in time, and all is well when it goes on', async t => {
    const load = startLoad(cluster.nodes, start.cookie);
    await until('work', () => load.sets.length > 20);
    server.signal('SIGSTOP');
    await pause(FROZEN_MS);
    server.signal('SIGCONT');
    const gap = await untilServed(load);
    await pause(300);
    await load.stop();
    await assertCalm(t, load, [gap]);
  });

  it('SIGTERM while it is frozen: the node does not wait for it', async t => {
    const node = await startNode({ databaseUrl: database.url }, await freePort(), cluster.base);
    assert.equal((await authorize(node, start.cookie)).outcome, 302);
    server.signal('SIGSTOP');
    const began = performance.now();
    const code = await node.stop();
    const took = performance.now() - began;
    server.signal('SIGCONT');
    t.diagnostic(`exit code ${code} after ${Math.round(took)} ms`);
    assert.equal(code, 0);
    assert(took < 10_000);
  });
});

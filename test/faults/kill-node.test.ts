import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createDatabase, stopOwnServer, type TestDatabase } from '../build/postgres.ts';
import { type Given, given } from './given.ts';
import { assertKept, FAMILIES_PER_CODE, startLoad, summary } from './load.ts';
import { type Cluster, type NodeProcess, startCluster } from './nodes.ts';

const KILLS = 20;

describe('kill -9 of a node under load', () => {
  let database: TestDatabase;
  let start: Given;
  let cluster: Cluster;
  before(async () => {
    database = await createDatabase();
    start = await given(database.url);
    cluster = await startCluster({ databaseUrl: database.url });
  });
  after(async () => {
    await cluster?.stop();
    await start?.close();
    await database?.drop();
    await stopOwnServer();
  });

  it('20 times: what was acknowledged is valid, no code redeems twice, retries at another node succeed', async t => {
    const load = startLoad(cluster.nodes, start.cookie, { clients: 8 });
    // While one starts again, the next is killed: with luck a client meets two that are gone.
    const starting = new Map<NodeProcess, Promise<void>>();
    for (let kill = 0; kill < KILLS; kill++) {
      const node = cluster.nodes[kill % cluster.nodes.length] as NodeProcess;
      await starting.get(node);
      await pause(400);
      await node.kill();
      starting.set(node, node.start());
    }
    await Promise.all(starting.values());
    await load.stop();
    const [stored] = await database.query(FAMILIES_PER_CODE);
    t.diagnostic(`${KILLS} kills: ${summary(load)}`);
    assert.deepEqual(load.tally.wrong, []);
    assert.equal(load.tally.outcomes.has('hung'), false);
    assert(load.tally.outcomes.get('lost'), 'no client noticed');
    assert(load.tally.retried > 0);
    assert.deepEqual(stored, { shared: 0, without_code: 0 });
    await assertKept(cluster.nodes, load.sets);
  });
});

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createDatabase, stopOwnServer, type TestDatabase } from '../build/postgres.ts';
import { until } from '../build/until.ts';
import { type Given, given } from './given.ts';
import { assertKept, FAMILIES_PER_CODE, startLoad, summary } from './load.ts';
import { untilWorked } from './load-outcomes.ts';
import { type Cluster, type NodeProcess, startCluster } from './nodes.ts';

/** Each node in turn is killed in the midst of requests, and started again when clients have noticed and the others have served. */
export function nodesAreKilled(kills: number): void {
  describe('kill -9 of a node under load', () => {
    let database: TestDatabase;
    let start: Given;
    let cluster: Cluster;
    before(async () => {
      database = await createDatabase();
      start = await given(database.url);
      cluster = await startCluster({ databaseUrl: database.url }, 2);
    });
    after(async () => {
      await cluster?.stop();
      await start?.close();
      await database?.drop();
      await stopOwnServer();
    });

    it(`${kills} times: what was acknowledged is valid, no code redeems twice, retries at another node succeed`, async t => {
      const load = startLoad(cluster.nodes, start.cookie, { clients: 8 });
      const lost = () => load.tally.outcomes.get('lost') ?? 0;
      for (let kill = 0; kill < kills; kill++) {
        const node = cluster.nodes[kill % cluster.nodes.length] as NodeProcess;
        await untilWorked(load, 5);
        const before = lost();
        await node.kill();
        await until('a client notices', () => lost() > before);
        await untilWorked(load, 5);
        await node.start();
      }
      await load.stop();
      const [stored] = await database.query(FAMILIES_PER_CODE);
      t.diagnostic(`${kills} kills: ${summary(load)}`);
      assert.deepEqual(load.tally.wrong, []);
      assert.equal(load.tally.outcomes.has('hung'), false);
      assert(load.tally.retried > 0);
      assert.deepEqual(stored, { shared: 0, without_code: 0 });
      await assertKept(cluster.nodes, load.sets);
    });
  });
}

import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { type PostgresServer, startPostgres } from '../../scripts/postgres.ts';
import { createDatabase, type TestDatabase } from '../build/postgres.ts';
import { type Given, given } from './given.ts';
import { assertKept, FAMILIES_PER_CODE, type Load, startLoad, summary } from './load.ts';
import { assertAnswered, untilRefused, untilServed, untilWorked } from './load-outcomes.ts';
import { type Cluster, startCluster } from './nodes.ts';
import { authorize } from './wire.ts';

/** PostgreSQL is away until clients were refused so many times. */
const REFUSALS = 30;

export function postgresIsKilled(kills: number): void {
  describe('PostgreSQL dies or freezes under load', () => {
    let server: PostgresServer;
    let database: TestDatabase;
    let start: Given;
    let cluster: Cluster;
    before(async () => {
      server = await startPostgres();
      database = await createDatabase(server.url);
      start = await given(database.url);
      cluster = await startCluster({ databaseUrl: database.url }, 1);
    });
    after(async () => {
      await cluster?.stop();
      await start?.close();
      await server?.kill();
      await server?.remove();
    });

    const assertCalm = async (t: TestContext, load: Load, gaps: readonly number[]) => {
      t.diagnostic(`${summary(load)}; nodes served again after ${gaps.join(', ')} ms`);
      assertAnswered(load);
      assert.deepEqual((await database.query(FAMILIES_PER_CODE))[0], { shared: 0, without_code: 0 });
      await assertKept(cluster.nodes, load.sets);
    };

    it(`kill -9 of the whole server, times: ${kills}: 503, nothing acknowledged is lost, nodes recover by themselves`, async t => {
      const load = startLoad(cluster.nodes, start.cookie);
      const gaps: number[] = [];
      for (let kill = 0; kill < kills; kill++) {
        await untilWorked(load, 20);
        await server.kill();
        await untilRefused(load, REFUSALS);
        await server.start();
        gaps.push(await untilServed(load));
      }
      await untilWorked(load, 5);
      await load.stop();
      await assertCalm(t, load, gaps);
    });

    it('frozen: 503, and all is well when it goes on', async t => {
      const load = startLoad(cluster.nodes, start.cookie);
      await untilWorked(load, 20);
      server.signal('SIGSTOP');
      await untilRefused(load, REFUSALS);
      server.signal('SIGCONT');
      const gap = await untilServed(load);
      await untilWorked(load, 5);
      await load.stop();
      await assertCalm(t, load, [gap]);
    });

    it('SIGTERM while it is frozen: the node does not wait for it', async () => {
      const [node] = cluster.nodes;
      assert(node);
      assert.equal((await authorize(node, start.cookie)).outcome, 302);
      server.signal('SIGSTOP');
      assert.equal(await node.stop(), 0);
      server.signal('SIGCONT');
    });
  });
}

import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { until } from '../build/until.ts';
import { type Given, given } from '../faults/given.ts';
import { assertKept, FAMILIES_PER_CODE, startLoad, summary } from '../faults/load.ts';
import { assertAnswered, untilServed } from '../faults/load-outcomes.ts';
import { type Cluster, startCluster } from '../faults/nodes.ts';
import { type ReplicatedCluster, startReplicatedCluster } from './replicated-cluster.ts';
import { assertRevoked, startRevocations } from './revocations.ts';

/** More than are revoked during one test, made by few at a time. */
const REVOCABLE = 400;
const AT_ONCE = 20;

describe('a Citus cluster whose servers have synchronous standbys', () => {
  let citus: ReplicatedCluster;
  let start: Given;
  let cluster: Cluster;
  before(async () => {
    citus = await startReplicatedCluster();
    start = await given(citus.url);
    cluster = await startCluster({ databaseUrl: citus.url });
  });
  after(async () => {
    await cluster?.stop();
    await start?.close();
    await citus?.remove();
  });

  async function failOver(t: TestContext, kill: () => Promise<void>, promote: () => Promise<void>): Promise<void> {
    const revocable: string[] = [];
    while (revocable.length < REVOCABLE) revocable.push(...(await start.addFamilies(AT_ONCE)));
    const load = startLoad(cluster.nodes, start.cookie);
    const revocations = startRevocations(cluster.nodes, revocable);
    await until('work', () => load.sets.length > 20 && revocations.acknowledged.length > 5);
    const acknowledged = load.sets.length;
    const revoked = revocations.acknowledged.length;
    await kill();
    await promote();
    const gap = await untilServed(load);
    await until('work after the fail-over', () => load.sets.length > acknowledged + 20);
    await until('revocations after the fail-over', () => revocations.acknowledged.length > revoked + 5);
    await Promise.all([load.stop(), revocations.stop()]);
    t.diagnostic(
      `${acknowledged} before the fail-over; ${summary(load)}; ${revocations.acknowledged.length} revocations; served again ` +
        `${gap} ms after the promotion`,
    );
    assertAnswered(load);
    const [stored] = await citus.query(FAMILIES_PER_CODE);
    assert.deepEqual(stored, { shared: 0, without_code: 0 });
    await assertRevoked(cluster.nodes, revocations.acknowledged);
    await assertKept(cluster.nodes, load.sets);
  }

  it('a worker dies and its standby is promoted: nothing acknowledged is lost', t =>
    failOver(t, () => citus.killWorkerOf('shop'), citus.promoteWorker));

  it('the coordinator dies and its standby, named in DATABASE_URL, is promoted: nothing acknowledged is lost', t =>
    failOver(t, citus.killCoordinator, citus.promoteCoordinator));
});

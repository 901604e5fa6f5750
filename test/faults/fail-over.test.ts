import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createDatabase } from '../build/postgres.ts';
import { type Given, given } from './given.ts';
import { assertKept, FAMILIES_PER_CODE, startLoad, summary } from './load.ts';
import { assertAnswered, until, untilServed } from './load-outcomes.ts';
import { type Cluster, startCluster } from './nodes.ts';
import { type Pair, promote, query, startPair } from './standby.ts';

describe('a primary with a synchronous standby, both named in DATABASE_URL', () => {
  let pair: Pair;
  let name: string;
  let start: Given;
  let cluster: Cluster;
  before(async () => {
    pair = await startPair();
    name = new URL((await createDatabase(pair.primary.url)).url).pathname.slice(1);
    start = await given(pair.url(name));
    cluster = await startCluster({ databaseUrl: pair.url(name) });
  });
  after(async () => {
    await cluster?.stop();
    await start?.close();
    for (const server of [pair?.primary, pair?.standby]) {
      await server?.kill();
      await server?.remove();
    }
  });

  it('the standby freezes, then the primary dies and the standby is promoted: nothing acknowledged is lost', async t => {
    const load = startLoad(cluster.nodes, start.cookie);
    await until('work', () => load.sets.length > 20);
    // Commits wait for it. That a request gave up waiting must not make of its commit an acknowledged one.
    pair.standby.signal('SIGSTOP');
    await pause(2500);
    pair.standby.signal('SIGCONT');
    await untilServed(load);
    const acknowledged = load.sets.length;
    const died = performance.now();
    await pair.primary.kill();
    await pause(500);
    await promote(pair.standby);
    const promoted = performance.now();
    const served = promoted + (await untilServed(load));
    await until('work after the fail-over', () => load.sets.length > acknowledged + 20);
    await load.stop();
    t.diagnostic(
      `${acknowledged} before the fail-over; ${summary(load)}; served again ${Math.round(served - died)} ms after the ` +
        `primary died, ${Math.round(served - promoted)} ms after the promotion`,
    );
    assert(acknowledged > 0 && load.sets.length > acknowledged);
    assertAnswered(load);
    assert(served - promoted < 5000);
    const [stored] = await query(`postgres://postgres@127.0.0.1:${pair.standby.port}/${name}`, FAMILIES_PER_CODE);
    assert.deepEqual(stored, { shared: 0, without_code: 0 });
    await assertKept(cluster.nodes, load.sets);
  });
});

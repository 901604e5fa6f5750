import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createDatabase } from '../build/postgres.ts';
import { type Given, given } from './given.ts';
import { assertKept, FAMILIES_PER_CODE, startLoad, summary } from './load.ts';
import { assertAnswered, untilRefused, untilServed, untilWorked } from './load-outcomes.ts';
import { type Cluster, startCluster } from './nodes.ts';
import { type Pair, promote, query, startPair } from './standby.ts';

const REFUSALS = 20;

describe('a primary with a synchronous standby, both named in DATABASE_URL', () => {
  let pair: Pair;
  let name: string;
  let start: Given;
  let cluster: Cluster;
  before(async () => {
    pair = await startPair();
    name = new URL((await createDatabase(pair.primary.url)).url).pathname.slice(1);
    start = await given(pair.url(name));
    cluster = await startCluster({ databaseUrl: pair.url(name) }, 1);
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
    await untilWorked(load, 20);
    // Commits wait for it. That a request gave up waiting must not make of its commit an acknowledged one.
    pair.standby.signal('SIGSTOP');
    await untilRefused(load, REFUSALS);
    pair.standby.signal('SIGCONT');
    await untilServed(load);
    const acknowledged = load.sets.length;
    await pair.primary.kill();
    await untilRefused(load, REFUSALS);
    await promote(pair.standby);
    const gap = await untilServed(load);
    await untilWorked(load, 20);
    await load.stop();
    t.diagnostic(`${acknowledged} before; ${summary(load)}; served again ${gap} ms after the promotion`);
    assertAnswered(load);
    const [stored] = await query(`postgres://postgres@127.0.0.1:${pair.standby.port}/${name}`, FAMILIES_PER_CODE);
    assert.deepEqual(stored, { shared: 0, without_code: 0 });
    await assertKept(cluster.nodes, load.sets);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pruneEvents } from '../../../src/audit/events/maintain.ts';
import { verifyEvents } from '../../../src/audit/events/verify.ts';
import type { Store } from '../../../src/store.ts';
import { aChainStore, type ChainStore } from '../../build/event-chain.ts';

/** More than two pages of src/audit/events/verify.ts. */
const COUNT = 2500;

async function withChain(test: (chain: ChainStore) => Promise<void>): Promise<void> {
  const chain = await aChainStore('SQLite');
  try {
    await chain.record(COUNT);
    assert.equal(await chain.seal(COUNT), COUNT);
    await test(chain);
  } finally {
    await chain.discard();
  }
}

/** Verifies, and calls `meanwhile` before the page of this number is read. */
function verifyWith({ store, clock, ring }: ChainStore, before: number, meanwhile: () => Promise<unknown>) {
  let pages = 0;
  const watched: Store = {
    ...store,
    sealedEvents: async (...args) => {
      if (++pages === before) await meanwhile();
      return store.sealedEvents(...args);
    },
  };
  return verifyEvents({ store: watched, ring: ring(), clock });
}

describe('gatehouse events verify while servers work', () => {
  const prune = ({ store, clock, ring }: ChainStore, count: number) =>
    pruneEvents({ store, ring: ring() }, clock.now() + 1, count);

  for (const [page, count] of [
    [1, 10],
    [1, COUNT],
    [2, 1500],
    [3, COUNT],
  ] as const) {
    it(`takes ${count} events that are pruned before page ${page} is read for no damage`, () =>
      withChain(async chain => {
        const { findings } = await verifyWith(chain, page, () => prune(chain, count));
        assert.deepEqual(findings, []);
      }));
  }

  it('finds an event that was removed beside those that are pruned meanwhile', () =>
    withChain(async chain => {
      await chain.tamper('DELETE FROM events WHERE seq = 1800');
      const { findings } = await verifyWith(chain, 2, () => prune(chain, 1500));
      assert.deepEqual(
        findings.map(({ kind, seq }) => [kind, seq]),
        [['missing', 1800]],
      );
    }));

  it('does not look at events that are sealed after it began', () =>
    withChain(async chain => {
      const { events, findings } = await verifyWith(chain, 3, async () => {
        await chain.record(5);
        await chain.seal();
      });
      assert.deepEqual([events, findings], [COUNT, []]);
    }));

  it('--expect: a log that was removed with its head is found', async () => {
    const chain = await aChainStore('SQLite');
    await chain.record(3);
    await chain.seal();
    const { end } = await chain.verify();
    await chain.tamper('DELETE FROM events');
    await chain.tamper('DELETE FROM event_chain');
    assert.deepEqual((await chain.verify()).findings, [], 'it looks like a log that has not begun');
    assert.deepEqual(
      (await chain.verify({ expected: end })).findings.map(({ kind }) => kind),
      ['restored'],
    );
    await chain.discard();
  });
});

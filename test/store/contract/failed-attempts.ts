import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { madeBy } from '../../build/stand-in.ts';
import { aFixture, NOW, type OpenStore, unique } from './given.ts';
import { openForEach } from './open-store.ts';

const LIMITS = { attempts: 10, refillSeconds: 30 };

/** Failed attempts that nodes count together (shared contract "accounts", Guessing): no more are taken than there are. */
export function failedAttemptsContract(open: OpenStore): void {
  describe('failed attempts', () => {
    const { store, another } = openForEach(open);
    const other = madeBy(beforeEach, another);

    const aBucket = () => ({ key: unique('bucket'), ...LIMITS });
    const read = (key: string) => store.failedAttempts({ loginName: undefined, ofUser: [], others: [key] });

    it('attack: of parallel attempts on two nodes exactly as many are taken as the bucket has', async () => {
      const bucket = aBucket();
      const waits = await Promise.all(
        Array.from({ length: 200 }, (_, each) => (each % 2 ? store : other).takeAttempt(bucket, NOW)),
      );
      assert.equal(waits.filter(wait => wait === 0).length, LIMITS.attempts);
      assert.deepEqual(new Set(waits), new Set([0, 30]));
      assert.equal((await read(bucket.key)).get(bucket.key), NOW + 300);
    });

    it('attack: attempts at many accounts from many addresses, in any order on two nodes, do not deadlock', async () => {
      const buckets = Array.from({ length: 20 }, aBucket);
      const orders = [buckets, [...buckets].reverse()];
      const waits = await Promise.all(
        Array.from({ length: 10 }, (_, each) =>
          (orders[each % 2] ?? []).map(bucket => (each % 2 ? store : other).takeAttempt(bucket, NOW)),
        ).flat(),
      );
      assert.deepEqual(new Set(waits), new Set([0]));
    });

    it('a bucket regains one after the other, is never fuller than full, and a refused attempt costs nothing', async () => {
      const bucket = aBucket();
      for (let count = 0; count < LIMITS.attempts; count++) assert.equal(await store.takeAttempt(bucket, NOW), 0);
      for (let count = 0; count < 5; count++) assert.equal(await store.takeAttempt(bucket, NOW + 4), 26);
      assert.equal(await store.takeAttempt(bucket, NOW + 30), 0);
      assert.equal(await store.takeAttempt(bucket, NOW + 30), 30);
      const later = NOW + 100_000;
      for (let count = 0; count < LIMITS.attempts; count++) assert.equal(await store.takeAttempt(bucket, later), 0);
      assert.equal(await store.takeAttempt(bucket, later), 30);
    });

    it('an attempt that is given back can be taken again, and a bucket that is reset is full', async () => {
      const bucket = aBucket();
      for (let count = 0; count < LIMITS.attempts; count++) await store.takeAttempt(bucket, NOW);
      await store.giveBackAttempt(bucket);
      assert.equal(await store.takeAttempt(bucket, NOW), 0);
      assert.equal(await store.takeAttempt(bucket, NOW), 30);
      await store.resetAttempts(bucket.key);
      assert.deepEqual(await read(bucket.key), new Map());
      await store.giveBackAttempt(bucket);
      assert.deepEqual(await read(bucket.key), new Map(), 'nothing is given back to a full one');
    });

    it('those of a user are found by any login name', async () => {
      const { user } = await aFixture(store);
      const key = `${user.sub} of a kind`;
      await store.takeAttempt({ key, ...LIMITS }, NOW);
      const find = (loginName: string) =>
        store.failedAttempts({ loginName, ofUser: [' of a kind', ' of another'], others: [key, 'none'] });
      assert.deepEqual(await find(user.username), new Map([[key, NOW + 30]]));
      assert.deepEqual(await find('nobody'), new Map([[key, NOW + 30]]), 'by its own key');
      const byName = await store.failedAttempts({ loginName: user.username, ofUser: [' of a kind'], others: [] });
      assert.deepEqual(byName, new Map([[key, NOW + 30]]));
    });

    it('are purged when they are full again', async () => {
      const [early, late] = [aBucket(), aBucket()];
      await store.takeAttempt(early, NOW);
      await store.takeAttempt(late, NOW + 20);
      await store.purge(NOW + 31, 1000);
      assert.equal((await read(early.key)).size, 0);
      assert.equal((await read(late.key)).size, 1);
    });
  });
}

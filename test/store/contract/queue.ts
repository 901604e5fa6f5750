import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LogoutNotice } from '../../../src/notify/backchannel-logout/store.ts';
import type { Store } from '../../../src/store.ts';
import { aFixture, DAY, NOW, type OpenStore, race } from './given.ts';
import { aSession } from './given-sessions.ts';
import { openForEach } from './open-store.ts';

export function queueContract(open: OpenStore): void {
  describe('logout notices', () => {
    const { store, another } = openForEach(open);

    /** A session in which so many clients took part has ended. */
    const queued = async (count: number) => {
      const fixture = await aFixture(store);
      const { idHash, sid } = await aSession(store, fixture);
      const clients = Array.from({ length: count }, (_, index) => `client-${index}`);
      for (const client of clients) await store.noteSessionClient(fixture.app, client, sid);
      await store.endSession({ idHash }, NOW);
      return { app: fixture.app, sub: fixture.user.sub, sid, clients };
    };
    const take = (now: number, leaseUntil = now + 60, limit = 100, at: Store = store) =>
      at.takeLogoutNotices(now, leaseUntil, limit);
    const the = (notices: readonly LogoutNotice[]): LogoutNotice => {
      const [notice, ...more] = notices;
      assert(notice && more.length === 0, `${notices.length} notices`);
      return notice;
    };

    it('are none while no session has ended', async () => {
      const fixture = await aFixture(store);
      const { sid } = await aSession(store, fixture);
      await store.noteSessionClient(fixture.app, 'web', sid);
      assert.deepEqual(await take(NOW + DAY), []);
    });

    it('name the client, the user and the session', async () => {
      const { app, sub, sid } = await queued(1);
      const { id, ...rest } = the(await take(NOW));
      assert.equal(typeof id, 'string');
      assert.deepEqual(rest, { app, clientId: 'client-0', sub, sid, attempts: 1 });
    });

    it('are not due before the session ended', async () => {
      await queued(1);
      assert.deepEqual(await take(NOW - 1), []);
      assert.equal((await take(NOW)).length, 1);
    });

    it('are leased to one node; when the lease is over a node can take them again, with one attempt more', async () => {
      const other = await another();
      await queued(1);
      const first = the(await take(NOW, NOW + 60));
      for (const at of [store, other])
        for (const now of [NOW, NOW + 59]) assert.deepEqual(await take(now, now + 60, 100, at), []);
      const second = the(await take(NOW + 60, NOW + 120, 100, other));
      assert.deepEqual(second, { ...first, attempts: 2 });
      assert.deepEqual(await take(NOW + 119), []);
    });

    it('come no more at once than asked for, and all of them in the end', async () => {
      const { clients } = await queued(7);
      const seen: string[] = [];
      for (const expected of [3, 3, 1, 0]) {
        const notices = await take(NOW, NOW + 60, 3);
        assert.equal(notices.length, expected);
        seen.push(...notices.map(({ clientId }) => clientId));
      }
      assert.deepEqual(seen.sort(), clients);
    });

    it('for clients that are busy wait, however long they have been due', async () => {
      const { app } = await queued(3);
      const busy = [`${app} client-0`, `${app} client-2`, 'another client-1', "o'dd client"];
      assert.equal(the(await store.takeLogoutNotices(NOW, NOW + 60, 100, busy)).clientId, 'client-1');
      assert.deepEqual(await store.takeLogoutNotices(NOW, NOW + 60, 100, busy), []);
      assert.equal((await take(NOW)).length, 2);
    });

    it('are never taken by two, on two store objects', async () => {
      const stores = [store, await another()];
      const { clients } = await queued(30);
      const taken = await race(stores, 20, store => take(NOW, NOW + 60, 2, store));
      const all = taken.flat();
      assert.equal(new Set(all.map(({ id }) => id)).size, all.length);
      assert.deepEqual(all.map(({ clientId }) => clientId).sort(), [...clients].sort());
    });

    it('that were postponed come back when they are due, and not before', async () => {
      await queued(2);
      const [one, two] = await take(NOW, NOW + 60);
      assert(one && two);
      await store.postponeLogoutNotice(one.id, NOW + 20);
      assert.deepEqual(await take(NOW + 19), [], 'the lease of the other is not over either');
      assert.deepEqual(the(await take(NOW + 20)), { ...one, attempts: 2 });
      assert.deepEqual(the(await take(NOW + 60)), { ...two, attempts: 2 });
    });

    it('may be postponed for longer than their lease', async () => {
      await queued(1);
      const { id } = the(await take(NOW, NOW + 60));
      await store.postponeLogoutNotice(id, NOW + 3600);
      assert.deepEqual(await take(NOW + 3599), []);
      assert.equal(the(await take(NOW + 3600)).id, id);
    });

    it('that were delivered never come back, and the others do', async () => {
      await queued(2);
      const [done, open] = await take(NOW, NOW + 60);
      assert(done && open);
      await store.finishLogoutNotice(done.id);
      await store.finishLogoutNotice(done.id);
      await store.postponeLogoutNotice(done.id, NOW);
      assert.equal(the(await take(NOW + DAY)).id, open.id);
    });

    it('wait for as long as it takes, whatever the purge removes', async () => {
      const { clients } = await queued(3);
      await store.purge(NOW + 60 * DAY, 1000);
      assert.equal((await take(NOW + 60 * DAY)).length, clients.length);
    });
  });
}

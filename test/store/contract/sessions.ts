import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { NewSession } from '../../../src/people/sessions/store.ts';
import type { Store } from '../../../src/store.ts';
import { aFixture, digest, disable, NOW, type OpenStore, profileOf, race, unique } from './given.ts';
import { session } from './given-sessions.ts';
import { openForSuite } from './open-store.ts';

export function sessionsContract(open: OpenStore): void {
  describe('sessions', () => {
    let sub: string;
    const { store, another } = openForSuite(open);
    before(async () => {
      sub = (await aFixture(store)).user.sub;
    });

    const own = (over: Partial<NewSession> = {}) => session(sub, over);
    const use = (idHash: Uint8Array, now = NOW, idleExpiresAt = now + 3600, at = store) =>
      at.useSession(idHash, now, idleExpiresAt);

    it('come back with their user, without the password', async () => {
      const { user } = await aFixture(store);
      const put = own({ sub: user.sub, amr: ['pwd', 'otp'] });
      assert.equal(await store.openSession(put, NOW), 'opened');
      const found = await use(put.idHash);
      assert.deepEqual(found, {
        sid: put.sid,
        authTime: NOW,
        amr: ['pwd', 'otp'],
        openedByRequest: put.openedByRequest,
        hasTotp: false,
        requiresMfa: false,
        hasPasskey: false,
        hasPassword: true,
        user: profileOf(user),
        consented: [],
      });
      assert.equal(await use(digest()), undefined);
    });

    it('end after the idle time, and use prolongs it', async () => {
      const [left, used] = [own(), own()];
      for (const each of [left, used]) await store.openSession(each, NOW);
      assert(await use(used.idHash, NOW + 3000));
      assert.equal(await use(left.idHash, NOW + 3600), undefined);
      assert(await use(used.idHash, NOW + 6599));
      assert.equal(await use(used.idHash, NOW + 6599 + 3600), undefined);
    });

    it('end at their last moment, however much they are used', async () => {
      const put = own({ expiresAt: NOW + 5000 });
      await store.openSession(put, NOW);
      assert(await use(put.idHash, NOW + 3000));
      assert(await use(put.idHash, NOW + 4999, NOW + 9999));
      assert.equal(await use(put.idHash, NOW + 5000), undefined);
    });

    it('end when they are ended, and no other does', async () => {
      const [ended, kept] = [own(), own()];
      for (const each of [ended, kept]) await store.openSession(each, NOW);
      await store.endSession({ idHash: ended.idHash }, NOW);
      await store.endSession({ idHash: digest() }, NOW);
      assert.equal(await use(ended.idHash), undefined);
      assert(await use(kept.idHash));
    });

    it('end with the beginning of the one that replaces them', async () => {
      const old = own();
      await store.openSession(old, NOW);
      const next = own({ replaces: old.idHash });
      assert.equal(await store.openSession(next, NOW), 'opened');
      assert.equal(await use(old.idHash), undefined);
      assert(await use(next.idHash));
    });

    it('are refused a second time for one login page, also after the first has ended (row 25)', async () => {
      const first = own();
      await store.openSession(first, NOW);
      const present = own();
      await store.openSession(present, NOW);
      await store.endSession({ idHash: first.idHash }, NOW);
      const replay = own({ openedByRequest: first.openedByRequest, replaces: present.idHash });
      assert.equal(await store.openSession(replay, NOW + 600), 'replayed');
      assert.equal(await use(replay.idHash), undefined);
      assert(await use(present.idHash), 'a refused session must not end the present one');
    });

    it('one of many parallel openings for one login page succeeds, on two store objects', async () => {
      const stores = [store, await another()];
      const openedByRequest = unique('pending');
      const attempts = await race(stores, 20, async (store: Store) => {
        const put = own({ openedByRequest });
        return { put, outcome: await store.openSession(put, NOW) };
      });
      const winners = attempts.filter(({ outcome }) => outcome === 'opened');
      assert.equal(winners.length, 1);
      for (const { put, outcome } of attempts)
        assert.equal((await use(put.idHash)) !== undefined, outcome === 'opened');
    });

    it('of a disabled user are dead at once, on every store object', async () => {
      const other = await another();
      const { user } = await aFixture(store);
      const put = own({ sub: user.sub });
      await store.openSession(put, NOW);
      assert(await use(put.idHash, NOW, NOW + 3600, other));
      await disable(store, user);
      assert.equal(await use(put.idHash), undefined);
      assert.equal(await use(put.idHash, NOW, NOW + 3600, other), undefined);
    });

    it('opened by a user that was disabled meanwhile are never live, also when the user is enabled again', async () => {
      const { user } = await aFixture(store);
      await disable(store, user);
      const put = own({ sub: user.sub });
      await store.openSession(put, NOW);
      await disable(store, user, false);
      assert.equal(await use(put.idHash), undefined);
    });

    it('of a disabled user do not come back when the user is enabled again, and a new one works', async () => {
      const { user } = await aFixture(store);
      const put = own({ sub: user.sub });
      await store.openSession(put, NOW);
      await disable(store, user);
      await disable(store, user, false);
      assert.equal(await use(put.idHash), undefined);
      assert.deepEqual(await store.sessionsOf(user.sub, NOW), []);
      const next = own({ sub: user.sub, replaces: put.idHash });
      assert.equal(await store.openSession(next, NOW), 'opened');
      assert.equal((await use(next.idHash))?.sid, next.sid);
    });
  });
}

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Store } from '../../../src/store.ts';
import { aFixture, credentialKey, DAY, digest, NOW, type OpenStore, unique } from './given.ts';
import { session } from './given-sessions.ts';
import { ALIVE, aFamily, alive, code, DEAD, presentedCode, rotation, token, tokens } from './given-tokens.ts';
import { openForEach } from './open-store.ts';

export function purgeContract(open: OpenStore): void {
  describe('purge', () => {
    const { store, another } = openForEach(open);

    const drain = async (store: Store, now: number, limit: number) => {
      const rounds: number[] = [];
      do rounds.push((await store.purge(now, limit)).deleted);
      while (rounds.at(-1) !== 0 && rounds.length < 100);
      return { rounds, total: rounds.reduce((sum, gone) => sum + gone, 0) };
    };

    it('removes nothing from a store where nothing has ended', async () => {
      const fixture = await aFixture(store);
      const pair = await aFamily(store, fixture);
      assert.equal((await store.purge(NOW, 100)).deleted, 0);
      assert.equal((await store.purge(pair.access.expiresAt, 100)).deleted, 0);
      assert.deepEqual(await alive(store, fixture.app, pair), ALIVE);
    });

    it('goes on until nothing that has ended is left, and leaves what lives', async () => {
      const fixture = await aFixture(store);
      for (let count = 0; count < 9; count++)
        await store.addTokenFamily(fixture.app, fixture.grant, {
          ...tokens({ access: token(NOW + 60) }),
          refresh: count < 4 ? token(NOW + 60) : undefined,
        });
      const living = tokens({ access: token(NOW + 9 * DAY), refresh: token(NOW + 9 * DAY) });
      await store.addTokenFamily(fixture.app, fixture.grant, living);
      // Longer than any store waits, so that it can clean up a week at a time.
      const later = NOW + 8 * DAY + 60;
      assert((await drain(store, later, 2)).total >= 9);
      assert.equal((await store.purge(later, 2)).deleted, 0);
      assert.deepEqual(await alive(store, fixture.app, living, later), ALIVE);
    });

    it('tells every process when it was last complete, and that it is not as long as something is left', async () => {
      const other = await another();
      const fixture = await aFixture(store);
      const atFirst = await other.lastCompletePurge();
      assert(Math.abs(atFirst - Date.now() / 1000) < 3600, 'a new store has nothing to delete');
      for (let count = 0; count < 3; count++)
        await aFamily(store, fixture, { access: token(NOW), refresh: token(NOW) });
      const later = NOW + 20 * DAY;
      assert.equal((await store.purge(later, 2)).complete, false);
      assert.equal(await other.lastCompletePurge(), atFirst);
      while (!(await store.purge(later, 2)).complete);
      assert.equal(await other.lastCompletePurge(), later);
    });

    it('leaves sessions that have not ended', async () => {
      const { user } = await aFixture(store);
      const add = async (idleExpiresAt: number) => {
        const idHash = credentialKey(NOW + 30 * DAY);
        await store.openSession(session(user.sub, { idHash, idleExpiresAt, expiresAt: NOW + 30 * DAY }), NOW);
        return idHash;
      };
      const ended = await add(NOW + 60);
      const kept = await add(NOW + 10 * DAY);
      // At least the two login pages whose forms are too old to be sent again.
      assert((await drain(store, NOW + 5 * DAY, 2)).total >= 2);
      assert.equal(await store.useSession(ended, NOW + 5 * DAY, NOW + 6 * DAY), undefined);
      assert(await store.useSession(kept, NOW + 5 * DAY, NOW + 6 * DAY));
    });

    it('keeps a spent login page for as long as its form could be sent again', async () => {
      const { user } = await aFixture(store);
      const openedByRequest = unique('pending');
      const last = NOW + 1;
      const again = () =>
        session(user.sub, { idHash: credentialKey(last), openedByRequest, idleExpiresAt: last, expiresAt: last });
      assert.equal(await store.openSession(again(), NOW), 'opened');
      // Row 26: a pending request lives for ten minutes.
      await drain(store, NOW + 600, 100);
      assert.equal(await store.openSession(again(), NOW + 600), 'replayed');
    });

    it('keeps a redeemed code for a day, so that a late replay still ends its family', async () => {
      const fixture = await aFixture(store);
      const put = code(fixture.grant);
      const pair = tokens();
      await store.addCode(fixture.app, put);
      await store.redeemCode(fixture.app, put.codeHash, presentedCode, pair);
      const late = put.expiresAt + DAY - 1;
      await drain(store, late, 100);
      assert(await store.findRefreshToken(fixture.app, pair.refresh.hash, late));
      const outcome = await store.redeemCode(fixture.app, put.codeHash, presentedCode, tokens({ issuedAt: late }));
      assert.deepEqual(outcome, { kind: 'refused', verdict: 'replayed' });
      assert.deepEqual(await alive(store, fixture.app, pair, late), DEAD);
    });

    it('forgets a code a day or two later, and its family goes on', async () => {
      const fixture = await aFixture(store);
      const put = code(fixture.grant);
      const pair = tokens();
      await store.addCode(fixture.app, put);
      await store.redeemCode(fixture.app, put.codeHash, presentedCode, pair);
      const later = put.expiresAt + 2 * DAY + 1;
      await drain(store, later, 100);
      const outcome = await store.redeemCode(fixture.app, put.codeHash, presentedCode, tokens({ issuedAt: later }));
      assert.deepEqual(outcome, { kind: 'unknown' });
      assert(await store.findRefreshToken(fixture.app, pair.refresh.hash, later));
    });

    it('keeps a family that was prolonged by its refresh tokens', async () => {
      const fixture = await aFixture(store);
      const pair = await aFamily(store, fixture);
      const turn = rotation(pair.refresh.hash, { issuedAt: NOW + 29 * DAY });
      await store.rotateRefreshToken(fixture.app, turn);
      const later = NOW + 50 * DAY;
      await drain(store, later, 100);
      const successor = turn.successors[0] ?? digest();
      assert(await store.findRefreshToken(fixture.app, successor, later));
      const next = rotation(successor, { issuedAt: later });
      assert.equal((await store.rotateRefreshToken(fixture.app, next)).kind, 'rotated');
    });

    it('keeps a grant for as long as an access token of it lives', async () => {
      const fixture = await aFixture(store);
      const pair = await aFamily(store, fixture, { refresh: token(NOW + 60) });
      const presented = { clientId: 'web', scope: undefined, rotation: false, grace: 30, familyTtl: 180 * DAY };
      const access = token(NOW + 9 * DAY);
      await store.rotateRefreshToken(fixture.app, rotation(pair.refresh.hash, { presented, access }));
      await drain(store, NOW + 8 * DAY, 100);
      assert(await store.findAccessToken(fixture.app, access.hash, NOW + 8 * DAY));
    });

    it('keeps a grant for as long as an access token of a retry lives', async () => {
      const fixture = await aFixture(store);
      const pair = await aFamily(store, fixture, { refresh: token(NOW + 60) });
      const short = { successors: [credentialKey(NOW + 60)], successorExpiresAt: NOW + 60 };
      await store.rotateRefreshToken(fixture.app, rotation(pair.refresh.hash, short));
      const access = token(NOW + 9 * DAY);
      await store.rotateRefreshToken(
        fixture.app,
        rotation(pair.refresh.hash, { ...short, access, issuedAt: NOW + 10 }),
      );
      await drain(store, NOW + 8 * DAY, 100);
      assert(await store.findAccessToken(fixture.app, access.hash, NOW + 8 * DAY));
    });
  });
}

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aFixture, type Fixture, NOW, type OpenStore } from './given.ts';
import { aSession, session } from './given-sessions.ts';
import { ALIVE, aFamily, alive, DEAD } from './given-tokens.ts';
import { sessionsFixture } from './sessions-fixture.ts';

/** A login in a browser that has a session: of the same user it continues the session, of another it ends it. */
export function sessionReplacedContract(open: OpenStore): void {
  const { store, another, fixture, prepareEach, use, aCode, redeem, queuedNotices, notice } = sessionsFixture(open);

  describe('a login in a browser that has a session', () => {
    prepareEach();

    it('of the same user goes on with the sid, under a new identifier and a new login', async () => {
      const before = await aSession(store, fixture, { authTime: NOW - 500 });
      const again = session(fixture.user.sub, { replaces: before.idHash, amr: ['pwd', 'otp'] });
      assert.equal(await store.openSession(again, NOW), 'opened');
      assert.equal(await use(before.idHash), undefined);
      const { sid, authTime, amr, openedByRequest } = (await use(again.idHash)) ?? {};
      const expected = { sid: before.sid, authTime: NOW, amr: ['pwd', 'otp'], openedByRequest: again.openedByRequest };
      assert.deepEqual({ sid, authTime, amr, openedByRequest }, expected);
    });

    it('of the same user ends no grant and no code, and queues no notice before the end', async () => {
      const before = await aSession(store, fixture);
      const pair = await aFamily(store, { ...fixture, grant: before.grant });
      const { codeHash } = await aCode({ ...before.grant, clientId: 'web' });
      const again = session(fixture.user.sub, { replaces: before.idHash });
      await store.openSession(again, NOW);
      assert.deepEqual(await alive(store, fixture.app, pair), ALIVE);
      assert.equal((await redeem(codeHash)).kind, 'redeemed');
      assert.deepEqual(await queuedNotices(), []);
      await store.endSession({ idHash: again.idHash }, NOW);
      assert.deepEqual(await alive(store, fixture.app, pair), DEAD);
      assert.deepEqual(await queuedNotices(), [notice(before)]);
    });

    it('of the same user, when that session had ended by itself, has a sid of its own', async () => {
      const before = await aSession(store, fixture, { idleExpiresAt: NOW + 10 });
      const next = session(fixture.user.sub, { replaces: before.idHash });
      assert.equal(await store.openSession(next, NOW + 10), 'opened');
      assert.equal((await use(next.idHash, NOW + 10))?.sid, next.sid);
    });

    it('of another user ends the former session with all that came from it, and tells its clients', async () => {
      const before = await aSession(store, fixture);
      const pair = await aFamily(store, { ...fixture, grant: before.grant });
      const { codeHash } = await aCode(before.grant);
      const { user: bob } = await aFixture(store);
      const next = session(bob.sub, { replaces: before.idHash });
      assert.equal(await store.openSession(next, NOW), 'opened');
      assert.equal(await use(before.idHash), undefined);
      assert.deepEqual(await store.sessionsOf(fixture.user.sub, NOW), []);
      const found = await use(next.idHash);
      assert.equal(found?.sid, next.sid);
      assert.equal(found?.user.sub, bob.sub);
      assert.deepEqual(await alive(store, fixture.app, pair), DEAD);
      assert.equal((await redeem(codeHash)).kind, 'refused');
      assert.deepEqual(await queuedNotices(), [notice(before)]);
    });

    for (const [users, people] of [
      ['the same two people', 1],
      ['other people each', 50],
    ] as const) {
      it(`of the user of another browser, which does the reverse at the same time: 50 such pairs, ${users}`, async () => {
        const PAIRS = 50;
        const stores = [store, await another()] as const;
        const fixtures = await Promise.all(Array.from({ length: 2 * people }, () => aFixture(store)));
        const browsers = [];
        for (let pair = 0; pair < PAIRS; pair++) {
          const [one, other] = [fixtures[(2 * pair) % fixtures.length], fixtures[(2 * pair + 1) % fixtures.length]] as [
            Fixture,
            Fixture,
          ];
          browsers.push({ before: await aSession(store, one), next: other });
          browsers.push({ before: await aSession(store, other), next: one });
        }
        const swapped = browsers.map(async ({ before, next }, index) => {
          const put = session(next.user.sub, { replaces: before.idHash });
          const outcome = await stores[index % 2]?.openSession(put, NOW);
          assert.equal(outcome, 'opened');
          return { before, put };
        });
        for (const { before, put } of await Promise.all(swapped)) {
          assert.equal(await use(before.idHash), undefined);
          assert.equal((await use(put.idHash))?.user.sub, put.sub);
        }
      });
    }

    it('that is a replay ends nothing, of the same user or of another', async () => {
      const before = await aSession(store, fixture);
      const pair = await aFamily(store, { ...fixture, grant: before.grant });
      const { user: bob } = await aFixture(store);
      for (const sub of [fixture.user.sub, bob.sub]) {
        const replay = session(sub, { replaces: before.idHash, openedByRequest: before.openedByRequest });
        assert.equal(await store.openSession(replay, NOW), 'replayed');
      }
      assert(await use(before.idHash));
      assert.deepEqual(await alive(store, fixture.app, pair), ALIVE);
      assert.deepEqual(await queuedNotices(), []);
    });
  });
}

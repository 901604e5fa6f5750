import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { madeBy } from '../../build/stand-in.ts';
import { aFixture, NOW, type OpenStore } from './given.ts';
import { aSession } from './given-sessions.ts';
import { ALIVE, aFamily, alive, DEAD } from './given-tokens.ts';
import { openForEach } from './open-store.ts';
import { anAct, assertNotRecorded, assertRecorded } from './users-fixture.ts';

const FIRST = { after: undefined, limit: 50 };

/** What a user holds, one by one, as operators see and end it. */
export function userHoldingsContract(open: OpenStore): void {
  describe('what a user holds, for an operator', () => {
    let sub: string;
    const { store } = openForEach(open);
    const fixture = madeBy(beforeEach, () => aFixture(store));
    const bob = madeBy(beforeEach, () => aFixture(store));
    beforeEach(async () => {
      sub = fixture.user.sub;
    });

    it('sessions, newest first, page by page; one is ended with its grants and its event', async () => {
      const sessions = [];
      for (const ago of [30, 10, 10, 20]) sessions.push(await aSession(store, fixture, { authTime: NOW - ago }));
      await aSession(store, bob);
      const all = await store.userSessions(sub, NOW, FIRST);
      assert.deepEqual(
        all.map(({ authTime }) => NOW - authTime),
        [10, 10, 20, 30],
      );
      const paged = [];
      for (let after: readonly [number, string] | undefined; ; ) {
        const [one] = await store.userSessions(sub, NOW, { after, limit: 1 });
        if (!one) break;
        paged.push(one);
        after = [one.authTime, one.sid];
      }
      assert.deepEqual(paged, all);
      const [first] = sessions;
      assert(first);
      const pair = await aFamily(store, { ...fixture, grant: first.grant });
      const act = anAct('session.ended', sub);
      assert.equal(await store.endUserSession(sub, first.sid, NOW, act), true);
      assert.deepEqual(await alive(store, fixture.app, pair), DEAD);
      assert.equal((await store.userSessions(sub, NOW, FIRST)).length, 3);
      await assertRecorded(store, act);
    });

    it('grants, each with the id by which it is revoked alone', async () => {
      const pairs = [await aFamily(store, fixture), await aFamily(store, fixture, { issuedAt: NOW - 60 })];
      await aFamily(store, bob);
      const grants = await store.userGrants(sub, NOW, FIRST);
      assert.deepEqual(
        grants.map(({ grantId, startedAt, app, clientId, sid }) => ({ grantId, startedAt, app, clientId, sid })),
        pairs.map(({ grantId, issuedAt }) => {
          return { grantId, startedAt: issuedAt, app: fixture.app, clientId: 'web', sid: 'sid-1' };
        }),
      );
      const [first, second] = pairs;
      assert(first && second);
      assert.deepEqual((await store.userGrants(sub, NOW, { after: [NOW, first.grantId], limit: 1 }))[0], grants[1]);
      const act = anAct('grant.revoked', sub);
      assert.equal(await store.revokeUserGrant(sub, first.grantId, NOW, act), true);
      assert.deepEqual(await alive(store, fixture.app, first), DEAD);
      assert.deepEqual(await alive(store, fixture.app, second), ALIVE);
      assert.deepEqual(
        (await store.userGrants(sub, NOW, FIRST)).map(({ grantId }) => grantId),
        [second.grantId],
      );
      await assertRecorded(store, act);
    });

    it('consents, by application and client; one is withdrawn with the grants of its client', async () => {
      for (const id of ['web', 'mobile', 'other']) await store.addConsent(sub, fixture.app, id, ['openid'], NOW);
      await store.addConsent(bob.user.sub, bob.app, 'web', ['openid'], NOW);
      const names = async (after?: string) => {
        const page = { after: after === undefined ? undefined : { app: fixture.app, clientId: after }, limit: 2 };
        return (await store.userConsents(sub, page)).map(({ clientId }) => clientId);
      };
      assert.deepEqual([await names(), await names('other')], [['mobile', 'other'], ['web']]);
      const pair = await aFamily(store, fixture);
      const act = anAct('consent.withdrawn', sub);
      assert.equal(await store.withdrawUserConsent(sub, { app: fixture.app, clientId: 'web' }, NOW, act), true);
      assert.deepEqual(await alive(store, fixture.app, pair), DEAD);
      assert.deepEqual(await names('other'), []);
      await assertRecorded(store, act);
    });

    it('factors: the password, without its hash; removing it ends what the user holds', async () => {
      const factors = await store.userFactors(sub);
      assert.deepEqual(factors, [
        { id: 'password', kind: 'password', createdAt: fixture.user.updatedAt, lastUsedAt: undefined },
      ]);
      const pair = await aFamily(store, fixture);
      const act = anAct('factor.removed', sub);
      assert.equal(await store.removeUserFactor(sub, 'password', NOW, act), true);
      assert.deepEqual(await store.userFactors(sub), []);
      assert.equal((await store.findAccount(fixture.user.username))?.passwordHash, undefined);
      assert.deepEqual(await alive(store, fixture.app, pair), DEAD);
      await assertRecorded(store, act);
    });

    it('trusted browsers: one is withdrawn with its event, and no other', async () => {
      const trust = async (id: string) => {
        const { passwordHash } = fixture.user;
        const times = { createdAt: NOW, expiresAt: NOW + 60 };
        await store.trustBrowser(
          { id, tokenHash: `hash of ${id}`, sub, userAgent: undefined, ...times, passwordHash },
          10,
        );
      };
      await trust('laptop');
      await trust('phone');
      const act = anAct('browser.distrusted', sub);
      assert.equal(await store.withdrawTrustedBrowser(bob.user.sub, 'laptop', act), false);
      await assertNotRecorded(store, act);
      assert.equal(await store.withdrawTrustedBrowser(sub, 'laptop', act), true);
      await assertRecorded(store, act);
      assert.equal(await store.isTrustedBrowser(sub, ['hash of laptop'], NOW), false);
      assert.equal(await store.isTrustedBrowser(sub, ['hash of phone'], NOW), true);
      assert.equal(await store.withdrawTrustedBrowser(sub, 'laptop', anAct('browser.distrusted', sub)), false);
    });

    it('all of it ends by signing the user out', async () => {
      const one = await aSession(store, fixture);
      const pairs = [await aFamily(store, { ...fixture, grant: one.grant }), await aFamily(store, fixture)];
      const act = anAct('user.signed_out', sub);
      assert.equal(await store.signOutUser(sub, NOW, act), true);
      for (const pair of pairs) assert.deepEqual(await alive(store, fixture.app, pair), DEAD);
      assert.deepEqual(await store.userSessions(sub, NOW, FIRST), []);
      assert.deepEqual(await store.userGrants(sub, NOW, FIRST), []);
      await assertRecorded(store, act);
    });

    it("is not ended as another user's, or a second time, and records nothing then", async () => {
      const one = await aSession(store, fixture);
      const pair = await aFamily(store, fixture);
      await store.addConsent(sub, fixture.app, 'web', ['openid'], NOW);
      const other = bob.user.sub;
      const act = anAct('session.ended', other);
      const client = { app: fixture.app, clientId: 'web' };
      const outcomes = [
        await store.endUserSession(other, one.sid, NOW, act),
        await store.revokeUserGrant(other, pair.grantId, NOW, act),
        await store.withdrawUserConsent(other, client, NOW, act),
        await store.removeUserFactor(sub, 'nothing', NOW, act),
        await store.signOutUser('nobody', NOW, act),
      ];
      assert.deepEqual(outcomes, [false, false, false, false, false]);
      assert.deepEqual(await alive(store, fixture.app, pair), ALIVE);
      await assertNotRecorded(store, act);
      const revoke = () => store.revokeUserGrant(sub, pair.grantId, NOW, anAct('grant.revoked', sub));
      assert.deepEqual([await revoke(), await revoke()], [true, false]);
    });
  });
}

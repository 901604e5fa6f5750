import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Scope, scopes } from '../../../src/oauth/token/scope.rules.ts';
import { aFixture, type Fixture, NOW, type OpenStore, race } from './given.ts';
import { aSession } from './given-sessions.ts';
import { ALIVE, aFamily, alive, code, DEAD, presentedCode, rotation, tokens } from './given-tokens.ts';
import { openForSuite } from './open-store.ts';
import { anAct, assertNotRecorded } from './users-fixture.ts';

export function consentsContract(open: OpenStore): void {
  describe('consents', () => {
    const { store, another } = openForSuite(open);

    const add = ({ user, app }: Fixture, scope: readonly Scope[], now = NOW, clientId = 'web') =>
      store.addConsent(user.sub, app, clientId, scope, now);
    const withdraw = ({ user, app }: Fixture, clientId = 'web', now = NOW) =>
      store.withdrawConsent(user.sub, app, clientId, now);
    const listed = async ({ user }: Fixture) =>
      (await store.consentsOf(user.sub)).map(({ scope, ...rest }) => ({ ...rest, scope: [...scope].sort() }));

    it('are listed with client, scope and time, and are none at first', async () => {
      const fixture = await aFixture(store);
      assert.deepEqual(await listed(fixture), []);
      await add(fixture, ['openid', 'email'], NOW + 5);
      assert.deepEqual(await listed(fixture), [
        { app: fixture.app, clientId: 'web', scope: ['email', 'openid'], givenAt: NOW + 5 },
      ]);
    });

    it('add to what was agreed to before, and never take away', async () => {
      const fixture = await aFixture(store);
      await add(fixture, ['openid', 'email']);
      await add(fixture, ['email', 'phone'], NOW + 60);
      await add(fixture, [], NOW + 90);
      const [found, ...more] = await listed(fixture);
      assert.deepEqual(found?.scope, ['email', 'openid', 'phone']);
      assert.equal(found?.givenAt, NOW + 90);
      assert.deepEqual(more, []);
    });

    it('to a client that was deleted is none, and nothing is recorded', async () => {
      const { user, app } = await aFixture(store);
      assert(await store.deleteClient(app, 'web', NOW));
      const act = anAct('consent.given', user.sub);
      await store.addConsent(user.sub, app, 'web', ['openid'], NOW, act.event);
      assert.deepEqual(await store.consentsOf(user.sub), []);
      await assertNotRecorded(store, act);
    });

    it('that are given while their client is deleted on another node do not stay', async () => {
      const other = await another();
      for (let round = 0; round < 5; round++) {
        const { user, app } = await aFixture(store);
        await Promise.all([
          store.addConsent(user.sub, app, 'web', ['openid'], NOW),
          other.deleteClient(app, 'web', NOW),
          store.addConsent(user.sub, app, 'web', ['email'], NOW),
        ]);
        assert.deepEqual(await store.consentsOf(user.sub), []);
      }
    });

    it('of many parallel answers are all kept, on two store objects', async () => {
      const stores = [store, await another()];
      const { user, app } = await aFixture(store);
      let next = 0;
      await race(stores, 12, store =>
        store.addConsent(user.sub, app, 'web', scopes.slice(next % scopes.length, (next++ % scopes.length) + 1), NOW),
      );
      for (const store of stores) {
        const [found] = await store.consentsOf(user.sub);
        assert.deepEqual([...(found?.scope ?? [])].sort(), [...scopes].sort());
      }
    });

    it('are those of one user and one client', async () => {
      const [alice, bob] = [await aFixture(store), await aFixture(store)];
      await add(alice, ['openid']);
      await add(alice, ['phone'], NOW, 'mobile');
      await add({ ...bob, app: alice.app }, ['email']);
      assert.deepEqual((await listed(alice)).map(({ clientId, scope }) => `${clientId} ${scope}`).sort(), [
        'mobile phone',
        'web openid',
      ]);
      assert.deepEqual(
        (await listed(bob)).map(({ clientId, scope }) => `${clientId} ${scope}`),
        ['web email'],
      );
    });

    it('come along with the session, for the client that is asked about', async () => {
      const fixture = await aFixture(store);
      const stranger = await aFixture(store);
      const { idHash } = await aSession(store, fixture);
      await add(fixture, ['openid', 'email']);
      await add({ ...stranger, app: fixture.app }, ['phone'], NOW, 'other');
      const consented = async (clientId?: string) => {
        const asked = clientId === undefined ? undefined : { app: fixture.app, clientId };
        const found = await store.useSession(idHash, NOW, NOW + 3600, asked);
        assert(found);
        return [...found.consented].sort();
      };
      assert.deepEqual(await consented('web'), ['email', 'openid']);
      assert.deepEqual(await consented('other'), []);
      assert.deepEqual(await consented(), []);
      await withdraw(fixture);
      assert.deepEqual(await consented('web'), []);
    });

    it('outlive the session they were given in', async () => {
      const fixture = await aFixture(store);
      const { idHash } = await aSession(store, fixture);
      await add(fixture, ['openid']);
      await store.endSession({ idHash }, NOW);
      assert.equal((await listed(fixture)).length, 1);
    });

    it('are forgotten when they are withdrawn, and begin anew after that', async () => {
      const fixture = await aFixture(store);
      await add(fixture, ['openid', 'email']);
      await withdraw(fixture);
      assert.deepEqual(await listed(fixture), []);
      await add(fixture, ['phone']);
      assert.deepEqual((await listed(fixture))[0]?.scope, ['phone']);
    });

    it('end every grant of the client when they are withdrawn, in whatever session it was made', async () => {
      const other = await another();
      const fixture = await aFixture(store);
      const { grant } = await aSession(store, fixture);
      const pairs = [
        await aFamily(store, { ...fixture, grant }),
        await aFamily(store, { ...fixture, grant: { ...grant, sid: 'another' } }),
        await aFamily(store, { ...fixture, grant: { ...grant, sid: undefined } }),
      ];
      await add(fixture, ['openid']);
      await withdraw(fixture);
      for (const pair of pairs) {
        assert.deepEqual(await alive(store, fixture.app, pair), DEAD);
        assert.deepEqual(await alive(other, fixture.app, pair), DEAD);
        const outcome = await store.rotateRefreshToken(fixture.app, rotation(pair.refresh.hash));
        assert.deepEqual(outcome, { kind: 'refused', verdict: 'invalid' });
      }
    });

    it('end the grants also of a client that never had to ask', async () => {
      const fixture = await aFixture(store);
      const pair = await aFamily(store, fixture);
      await withdraw(fixture);
      assert.deepEqual(await alive(store, fixture.app, pair), DEAD);
    });

    it('end with them what a code that is still on its way would have given', async () => {
      const fixture = await aFixture(store);
      const put = code(fixture.grant);
      await store.addCode(fixture.app, put);
      await add(fixture, ['openid']);
      await withdraw(fixture);
      const pair = tokens();
      const outcome = await store.redeemCode(fixture.app, put.codeHash, presentedCode, pair);
      assert.deepEqual(outcome, { kind: 'refused', verdict: 'expired' });
      assert.deepEqual(await alive(store, fixture.app, pair), DEAD);
    });

    it('and redemptions at the same time leave no token alive, whichever comes first', async () => {
      const other = await another();
      const { user, app, grant } = await aFixture(store);
      for (let round = 0; round < 10; round++) {
        const issued = Array.from({ length: 12 }, () => ({ ...code(grant), pair: tokens() }));
        for (const each of issued) await store.addCode(app, each);
        const withdrawal = store.withdrawConsent(user.sub, app, 'web', NOW);
        // One after the other, so that some come between any two statements of the withdrawal.
        for (const { codeHash, pair } of issued) await other.redeemCode(app, codeHash, presentedCode, pair);
        await withdrawal;
        for (const { pair } of issued) assert.deepEqual(await alive(store, app, pair), DEAD);
      }
    });

    it('given again let through the codes from then on, also in the same second, and none from before', async () => {
      const fixture = await aFixture(store);
      const codes = [code(fixture.grant), code(fixture.grant), code(fixture.grant)] as const;
      for (const put of codes) {
        await withdraw(fixture);
        await add(fixture, ['openid']);
        await store.addCode(fixture.app, put);
      }
      const [first, second, last] = codes;
      for (const { codeHash } of [first, second]) {
        const outcome = await store.redeemCode(fixture.app, codeHash, presentedCode, tokens());
        assert.deepEqual(outcome, { kind: 'refused', verdict: 'expired' });
      }
      const outcome = await store.redeemCode(fixture.app, last.codeHash, presentedCode, tokens());
      assert.equal(outcome.kind, 'redeemed');
    });

    it('leave codes of other clients and other users alone when they are withdrawn', async () => {
      const fixture = await aFixture(store);
      const { user: neighbour } = await aFixture(store);
      const others = [code({ ...fixture.grant, clientId: 'other' }), code({ ...fixture.grant, sub: neighbour.sub })];
      for (const put of others) await store.addCode(fixture.app, put);
      await withdraw(fixture);
      for (const { codeHash, family } of others) {
        const by = { ...presentedCode, clientId: family.clientId };
        assert.equal((await store.redeemCode(fixture.app, codeHash, by, tokens())).kind, 'redeemed');
      }
    });

    it('leave the session, other clients and other users alone when they are withdrawn', async () => {
      const fixture = await aFixture(store);
      const { user: neighbour } = await aFixture(store);
      const { idHash } = await aSession(store, fixture);
      const otherClient = await aFamily(store, { ...fixture, grant: { ...fixture.grant, clientId: 'other' } });
      const otherUser = await aFamily(store, { ...fixture, grant: { ...fixture.grant, sub: neighbour.sub } });
      await add(fixture, ['openid'], NOW, 'other');
      await withdraw(fixture);
      assert(await store.useSession(idHash, NOW, NOW + 3600));
      assert.deepEqual(await alive(store, fixture.app, otherClient), ALIVE);
      assert.deepEqual(await alive(store, fixture.app, otherUser), ALIVE);
      assert.equal((await listed(fixture)).length, 1);
    });

    it('are not in the way of new grants after they were withdrawn', async () => {
      const fixture = await aFixture(store);
      await withdraw(fixture);
      const pair = await aFamily(store, fixture);
      assert.deepEqual(await alive(store, fixture.app, pair), ALIVE);
    });
  });
}

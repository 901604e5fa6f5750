import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Store } from '../../../src/store.ts';
import { madeBy } from '../../build/stand-in.ts';
import { aFixture, credentialKey, DAY, NOW, type OpenStore, profileOf, signingKey, unique } from './given.ts';
import { aSession } from './given-sessions.ts';
import { ALIVE, aFamily, alive, code, DEAD, presentedCode, rotation, tokens } from './given-tokens.ts';
import { openForSuite } from './open-store.ts';

/** Row 4: nothing crosses applications. Both applications here have a client of the same name. */
export function isolationContract(open: OpenStore): void {
  describe('two applications (row 4)', () => {
    const { store } = openForSuite(open);
    const here = madeBy(before, () => aFixture(store));
    const there = madeBy(before, () => aFixture(store));

    it('do not find each other’s clients, origins and keys', async () => {
      const own = await aFixture(store, 'only-here');
      assert(await store.findClient(own.app, 'only-here'));
      assert.equal(await store.findClient(there.app, 'only-here'), undefined);
      assert.equal(await store.isClientOrigin(unique('nowhere'), 'https://client.example'), false);
      await store.addSigningKey(signingKey(own.app), undefined);
      assert.deepEqual(await store.signingKeys(there.app), []);
    });

    it('may each have a key of the same name', async () => {
      const kid = unique('kid');
      const [one, two] = [await aFixture(store), await aFixture(store)];
      for (const { app } of [one, two]) await store.addSigningKey(signingKey(app, { kid }), undefined);
      for (const { app } of [one, two]) assert.equal((await store.signingKeys(app))[0]?.app, app);
      await store.dropSigningKeys(one.app, [kid]);
      assert.deepEqual(await store.signingKeys(one.app), []);
      assert.equal((await store.signingKeys(two.app)).length, 1);
    });

    it('have a newest key each', async () => {
      const [one, two] = [await aFixture(store), await aFixture(store)];
      const first = signingKey(one.app);
      await store.addSigningKey(first, undefined);
      await store.addSigningKey(signingKey(two.app), first.kid);
      assert.deepEqual(await store.signingKeys(two.app), []);
      await store.addSigningKey(signingKey(two.app), undefined);
      assert.equal((await store.signingKeys(two.app)).length, 1);
    });

    it('do not redeem each other’s codes, and the attempt spends nothing', async () => {
      const put = code(here.grant);
      await store.addCode(here.app, put);
      const outcome = await store.redeemCode(there.app, put.codeHash, presentedCode, tokens());
      assert.deepEqual(outcome, { kind: 'unknown' });
      assert.equal((await store.redeemCode(here.app, put.codeHash, presentedCode, tokens())).kind, 'redeemed');
    });

    it('do not end each other’s families by replaying a code', async () => {
      const put = code(here.grant);
      const pair = tokens();
      await store.addCode(here.app, put);
      await store.redeemCode(here.app, put.codeHash, presentedCode, pair);
      const outcome = await store.redeemCode(there.app, put.codeHash, presentedCode, tokens());
      assert.deepEqual(outcome, { kind: 'unknown' });
      assert.deepEqual(await alive(store, here.app, pair), ALIVE);
    });

    it('do not find, rotate or end each other’s tokens', async () => {
      const pair = await aFamily(store, here);
      assert.deepEqual(await alive(store, there.app, pair), DEAD);
      assert.deepEqual(await store.rotateRefreshToken(there.app, rotation(pair.refresh.hash)), {
        kind: 'refused',
        verdict: 'invalid',
      });
      await store.revokeAccessToken(there.app, pair.access.hash, 'web');
      await store.revokeRefreshToken(there.app, pair.refresh.hash, 'web', NOW);
      assert.deepEqual(await alive(store, here.app, pair), ALIVE);
    });

    it('do not end each other’s families by reusing a rotated token', async () => {
      const pair = await aFamily(store, here);
      await store.rotateRefreshToken(here.app, rotation(pair.refresh.hash));
      const late = rotation(pair.refresh.hash, { issuedAt: NOW + 60 });
      await store.rotateRefreshToken(there.app, late);
      assert(await store.findAccessToken(here.app, pair.access.hash, NOW));
    });

    it('hold equal names of codes, grants and tokens apart', async () => {
      const codeHash = credentialKey(NOW + 300);
      const pair = tokens();
      for (const { app, grant } of [here, there]) await store.addCode(app, code(grant, { codeHash }));
      for (const { app, grant, user } of [here, there]) {
        const outcome = await store.redeemCode(app, codeHash, presentedCode, pair);
        assert.deepEqual(outcome, {
          kind: 'redeemed',
          family: grant,
          user: profileOf(user),
          nonce: 'n-1',
          withRefresh: true,
        });
      }
      for (const { app, user } of [here, there])
        assert.equal((await store.findTokenUser(app, pair.access.hash, NOW))?.user.sub, user.sub);
      await store.revokeRefreshToken(here.app, pair.refresh.hash, 'web', NOW);
      assert.deepEqual(await alive(store, here.app, pair), DEAD);
      assert.deepEqual(await alive(store, there.app, pair), ALIVE);
      await store.revokeAccessToken(there.app, pair.access.hash, 'web');
      assert.deepEqual(await alive(store, there.app, pair), { access: false, user: false, refresh: true });
    });

    it('rotate tokens of the same name each for itself', async () => {
      const pair = await aFamily(store, here);
      await store.addTokenFamily(there.app, there.grant, pair);
      assert.equal((await store.rotateRefreshToken(here.app, rotation(pair.refresh.hash))).kind, 'rotated');
      assert.equal(await store.findRefreshToken(here.app, pair.refresh.hash, NOW), undefined);
      assert(await store.findRefreshToken(there.app, pair.refresh.hash, NOW));
    });

    it('do not take each other’s consents for their own, nor withdraw them', async () => {
      const { sub } = here.user;
      const both = [here.app, there.app];
      const put = await aSession(store, here);
      await store.addConsent(sub, here.app, 'web', ['openid'], NOW);
      const consented = async (app: string) =>
        (await store.useSession(put.idHash, NOW, NOW, { app, clientId: 'web' }))?.consented;
      assert.deepEqual(await Promise.all(both.map(consented)), [['openid'], []]);
      await store.addConsent(sub, there.app, 'web', ['email'], NOW);
      assert.deepEqual(await Promise.all(both.map(consented)), [['openid'], ['email']]);
      const pairs = [await aFamily(store, here), await aFamily(store, { ...there, grant: here.grant })] as const;
      await store.withdrawConsent(sub, here.app, 'web', NOW);
      assert.deepEqual(await Promise.all(both.map(consented)), [[], ['email']]);
      assert.deepEqual(await alive(store, here.app, pairs[0]), DEAD);
      assert.deepEqual(await alive(store, there.app, pairs[1]), ALIVE);
    });

    it('get a logout notice only if a client of theirs took part in the session', async () => {
      const put = await aSession(store, here);
      await store.noteSessionClient(here.app, 'web', put.sid);
      await store.endSession({ idHash: put.idHash }, NOW);
      assert.deepEqual(await queuedNotices(store), [`${here.app} web`]);
    });

    it('share a session: its end revokes the grants in both, and each gets its own logout notice', async () => {
      const put = await aSession(store, here);
      const pairs = [
        await aFamily(store, { ...here, grant: put.grant }),
        await aFamily(store, { ...there, grant: put.grant }),
      ] as const;
      await store.endSession({ idHash: put.idHash }, NOW);
      assert.deepEqual(await alive(store, here.app, pairs[0]), DEAD);
      assert.deepEqual(await alive(store, there.app, pairs[1]), DEAD);
      assert.deepEqual(await queuedNotices(store), [`${here.app} web`, `${there.app} web`].sort());
    });
  });
}

/** The clients that the queued notices are for. */
async function queuedNotices(store: Store): Promise<string[]> {
  const notices = await store.takeLogoutNotices(NOW, NOW + DAY, 100);
  for (const { id } of notices) await store.finishLogoutNotice(id);
  return notices.map(({ app, clientId }) => `${app} ${clientId}`).sort();
}

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  ALIVE,
  aFamily,
  alive,
  aScene,
  code,
  DEAD,
  digest,
  NOW,
  type Opened,
  type OpenStore,
  presentedCode,
  rotation,
  type Scene,
  tokens,
  unique,
} from './given.ts';

/** Row 4: nothing crosses applications. Both applications here have a client of the same name. */
export function isolationContract(open: OpenStore): void {
  describe('two applications (row 4)', () => {
    let opened: Opened;
    let here: Scene;
    let there: Scene;
    before(async () => {
      opened = await open();
      here = await aScene(opened.store);
      there = await aScene(opened.store);
    });
    after(() => opened.discard());

    it('do not find each other’s clients, origins and keys', async () => {
      const { store } = opened;
      const own = await aScene(store, 'only-here');
      assert(await store.findClient(own.app, 'only-here'));
      assert.equal(await store.findClient(there.app, 'only-here'), undefined);
      assert.equal(await store.isClientOrigin(unique('nowhere'), 'https://client.example'), false);
      const key = { kid: 'k', alg: 'ES256', publicJwk: '{}', sealedPrivateKey: digest(), createdAt: NOW } as const;
      await store.addSigningKey({ ...key, app: own.app });
      assert.deepEqual(await store.signingKeys(there.app), []);
    });

    it('may each have a key of the same name', async () => {
      const { store } = opened;
      const kid = unique('kid');
      const [one, two] = [await aScene(store), await aScene(store)];
      for (const { app } of [one, two]) {
        const sealedPrivateKey = digest();
        await store.addSigningKey({ app, kid, alg: 'ES256', publicJwk: '{}', sealedPrivateKey, createdAt: NOW });
      }
      for (const { app } of [one, two]) assert.equal((await store.signingKeys(app))[0]?.app, app);
    });

    it('do not redeem each other’s codes, and the attempt spends nothing', async () => {
      const { store } = opened;
      const put = code(here.grant);
      await store.addCode(here.app, put);
      const outcome = await store.redeemCode(there.app, put.codeHash, presentedCode, tokens());
      assert.deepEqual(outcome, { kind: 'unknown' });
      assert.equal((await store.redeemCode(here.app, put.codeHash, presentedCode, tokens())).kind, 'redeemed');
    });

    it('do not end each other’s families by replaying a code', async () => {
      const { store } = opened;
      const put = code(here.grant);
      const pair = tokens();
      await store.addCode(here.app, put);
      await store.redeemCode(here.app, put.codeHash, presentedCode, pair);
      const outcome = await store.redeemCode(there.app, put.codeHash, presentedCode, tokens());
      assert.deepEqual(outcome, { kind: 'unknown' });
      assert.deepEqual(await alive(store, here.app, pair), ALIVE);
    });

    it('do not find, rotate or end each other’s tokens', async () => {
      const { store } = opened;
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
      const { store } = opened;
      const pair = await aFamily(store, here);
      await store.rotateRefreshToken(here.app, rotation(pair.refresh.hash));
      const late = rotation(pair.refresh.hash, { issuedAt: NOW + 60 });
      await store.rotateRefreshToken(there.app, late);
      assert(await store.findAccessToken(here.app, pair.access.hash, NOW));
    });

    it('hold equal names of codes, grants and tokens apart', async () => {
      const { store } = opened;
      const codeHash = digest();
      const pair = tokens();
      for (const { app, grant } of [here, there]) await store.addCode(app, code(grant, { codeHash }));
      for (const { app, grant } of [here, there]) {
        const outcome = await store.redeemCode(app, codeHash, presentedCode, pair);
        assert.deepEqual(outcome, { kind: 'redeemed', grant, nonce: 'n-1' });
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
      const { store } = opened;
      const pair = await aFamily(store, here);
      await store.addGrant(there.app, there.grant, pair);
      assert.equal((await store.rotateRefreshToken(here.app, rotation(pair.refresh.hash))).kind, 'rotated');
      assert.equal(await store.findRefreshToken(here.app, pair.refresh.hash, NOW), undefined);
      assert(await store.findRefreshToken(there.app, pair.refresh.hash, NOW));
    });
  });
}

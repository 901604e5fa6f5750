import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Scope, scopes } from '../../../src/protocol/scope.ts';
import {
  ALIVE,
  aFamily,
  alive,
  aScene,
  aSession,
  code,
  DEAD,
  NOW,
  type Opened,
  type OpenStore,
  presentedCode,
  race,
  rotation,
  type Scene,
  tokens,
} from './given.ts';

export function consentsContract(open: OpenStore): void {
  describe('consents', () => {
    let opened: Opened;
    before(async () => {
      opened = await open();
    });
    after(() => opened.discard());

    const add = ({ user, app }: Scene, scope: readonly Scope[], now = NOW, clientId = 'web') =>
      opened.store.addConsent(user.sub, app, clientId, scope, now);
    const withdraw = ({ user, app }: Scene, clientId = 'web', now = NOW) =>
      opened.store.withdrawConsent(user.sub, app, clientId, now);
    const listed = async ({ user }: Scene) =>
      (await opened.store.consentsOf(user.sub)).map(({ scope, ...rest }) => ({ ...rest, scope: [...scope].sort() }));

    it('are listed with client, scope and time, and are none at first', async () => {
      const scene = await aScene(opened.store);
      assert.deepEqual(await listed(scene), []);
      await add(scene, ['openid', 'email'], NOW + 5);
      assert.deepEqual(await listed(scene), [
        { app: scene.app, clientId: 'web', scope: ['email', 'openid'], givenAt: NOW + 5 },
      ]);
    });

    it('add to what was agreed to before, and never take away', async () => {
      const scene = await aScene(opened.store);
      await add(scene, ['openid', 'email']);
      await add(scene, ['email', 'phone'], NOW + 60);
      await add(scene, [], NOW + 90);
      const [found, ...more] = await listed(scene);
      assert.deepEqual(found?.scope, ['email', 'openid', 'phone']);
      assert.equal(found?.givenAt, NOW + 90);
      assert.deepEqual(more, []);
    });

    it('of many parallel answers are all kept, on two store objects', async () => {
      const stores = [opened.store, await opened.another()];
      const { user, app } = await aScene(opened.store);
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
      const [alice, bob] = [await aScene(opened.store), await aScene(opened.store)];
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
      const scene = await aScene(opened.store);
      const stranger = await aScene(opened.store);
      const { idHash } = await aSession(opened.store, scene);
      await add(scene, ['openid', 'email']);
      await add({ ...stranger, app: scene.app }, ['phone'], NOW, 'other');
      const consented = async (clientId?: string) => {
        const asked = clientId === undefined ? undefined : { app: scene.app, clientId };
        const found = await opened.store.useSession(idHash, NOW, NOW + 3600, asked);
        assert(found);
        return [...found.consented].sort();
      };
      assert.deepEqual(await consented('web'), ['email', 'openid']);
      assert.deepEqual(await consented('other'), []);
      assert.deepEqual(await consented(), []);
      await withdraw(scene);
      assert.deepEqual(await consented('web'), []);
    });

    it('outlive the session they were given in', async () => {
      const scene = await aScene(opened.store);
      const { idHash } = await aSession(opened.store, scene);
      await add(scene, ['openid']);
      await opened.store.endSession({ idHash }, NOW);
      assert.equal((await listed(scene)).length, 1);
    });

    it('are forgotten when they are withdrawn, and begin anew after that', async () => {
      const scene = await aScene(opened.store);
      await add(scene, ['openid', 'email']);
      await withdraw(scene);
      assert.deepEqual(await listed(scene), []);
      await add(scene, ['phone']);
      assert.deepEqual((await listed(scene))[0]?.scope, ['phone']);
    });

    it('end every grant of the client when they are withdrawn, in whatever session it was made', async () => {
      const { store } = opened;
      const other = await opened.another();
      const scene = await aScene(store);
      const { grant } = await aSession(store, scene);
      const pairs = [
        await aFamily(store, { ...scene, grant }),
        await aFamily(store, { ...scene, grant: { ...grant, sid: 'another' } }),
        await aFamily(store, { ...scene, grant: { ...grant, sid: undefined } }),
      ];
      await add(scene, ['openid']);
      await withdraw(scene);
      for (const pair of pairs) {
        assert.deepEqual(await alive(store, scene.app, pair), DEAD);
        assert.deepEqual(await alive(other, scene.app, pair), DEAD);
        const outcome = await store.rotateRefreshToken(scene.app, rotation(pair.refresh.hash));
        assert.deepEqual(outcome, { kind: 'refused', verdict: 'invalid' });
      }
    });

    it('end the grants also of a client that never had to ask', async () => {
      const scene = await aScene(opened.store);
      const pair = await aFamily(opened.store, scene);
      await withdraw(scene);
      assert.deepEqual(await alive(opened.store, scene.app, pair), DEAD);
    });

    it('end with them what a code that is still on its way would have given', async () => {
      const { store } = opened;
      const scene = await aScene(store);
      const put = code(scene.grant);
      await store.addCode(scene.app, put);
      await add(scene, ['openid']);
      await withdraw(scene);
      const pair = tokens();
      const outcome = await store.redeemCode(scene.app, put.codeHash, presentedCode, pair);
      assert.deepEqual(outcome, { kind: 'refused', verdict: 'expired' });
      assert.deepEqual(await alive(store, scene.app, pair), DEAD);
    });

    it('and redemptions at the same time leave no token alive, whichever comes first', async () => {
      const { store } = opened;
      const other = await opened.another();
      const { user, app, grant } = await aScene(store);
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
      const { store } = opened;
      const scene = await aScene(store);
      const codes = [code(scene.grant), code(scene.grant), code(scene.grant)] as const;
      for (const put of codes) {
        await withdraw(scene);
        await add(scene, ['openid']);
        await store.addCode(scene.app, put);
      }
      const [first, second, last] = codes;
      for (const { codeHash } of [first, second]) {
        const outcome = await store.redeemCode(scene.app, codeHash, presentedCode, tokens());
        assert.deepEqual(outcome, { kind: 'refused', verdict: 'expired' });
      }
      const outcome = await store.redeemCode(scene.app, last.codeHash, presentedCode, tokens());
      assert.equal(outcome.kind, 'redeemed');
    });

    it('leave codes of other clients and other users alone when they are withdrawn', async () => {
      const { store } = opened;
      const scene = await aScene(store);
      const { user: neighbour } = await aScene(store);
      const others = [code({ ...scene.grant, clientId: 'other' }), code({ ...scene.grant, sub: neighbour.sub })];
      for (const put of others) await store.addCode(scene.app, put);
      await withdraw(scene);
      for (const { codeHash, family } of others) {
        const by = { ...presentedCode, clientId: family.clientId };
        assert.equal((await store.redeemCode(scene.app, codeHash, by, tokens())).kind, 'redeemed');
      }
    });

    it('leave the session, other clients and other users alone when they are withdrawn', async () => {
      const { store } = opened;
      const scene = await aScene(store);
      const { user: neighbour } = await aScene(store);
      const { idHash } = await aSession(store, scene);
      const otherClient = await aFamily(store, { ...scene, grant: { ...scene.grant, clientId: 'other' } });
      const otherUser = await aFamily(store, { ...scene, grant: { ...scene.grant, sub: neighbour.sub } });
      await add(scene, ['openid'], NOW, 'other');
      await withdraw(scene);
      assert(await store.useSession(idHash, NOW, NOW + 3600));
      assert.deepEqual(await alive(store, scene.app, otherClient), ALIVE);
      assert.deepEqual(await alive(store, scene.app, otherUser), ALIVE);
      assert.equal((await listed(scene)).length, 1);
    });

    it('are not in the way of new grants after they were withdrawn', async () => {
      const scene = await aScene(opened.store);
      await withdraw(scene);
      const pair = await aFamily(opened.store, scene);
      assert.deepEqual(await alive(opened.store, scene.app, pair), ALIVE);
    });
  });
}

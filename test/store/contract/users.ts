import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { account, NOW, type OpenStore, unique } from './given.ts';
import { openForSuite } from './open-store.ts';

export function usersContract(open: OpenStore): void {
  describe('accounts', () => {
    const { store } = openForSuite(open);

    it('are found by each of their login names, with every field', async () => {
      const user = account();
      await store.provision([{ kind: 'newUser', account: user }]);
      for (const name of [user.username, user.email ?? '', user.phoneNumber ?? ''])
        assert.deepEqual(await store.findAccount(name), user);
      assert.equal(await store.findAccount(unique('nobody')), undefined);
    });

    it('come back with what is unset still unset, and with the disabled flag', async () => {
      const user = account({
        nickname: undefined,
        picture: undefined,
        email: undefined,
        emailVerified: false,
        phoneNumber: undefined,
        phoneNumberVerified: false,
        passwordHash: undefined,
        disabled: true,
      });
      await store.provision([{ kind: 'newUser', account: user }]);
      assert.deepEqual(await store.findAccount(user.username), user);
    });

    it('lend the password hash of the next in the order of sub, and of the first behind the last', async () => {
      const own = await open();
      try {
        const { store } = own;
        assert.equal(await store.passwordHashFrom('m'), undefined);
        const users = ['b', 'd', 'f'].map(sub =>
          account({ sub, passwordHash: sub === 'f' ? undefined : `hash ${sub}` }),
        );
        await store.provision(users.map(user => ({ kind: 'newUser', account: user })));
        const lent = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(point => store.passwordHashFrom(point)));
        assert.deepEqual(lent, ['hash b', 'hash b', 'hash d', 'hash d', undefined, undefined, 'hash b']);
      } finally {
        await own.discard();
      }
    });

    it('are not found by a login name they gave up', async () => {
      const old = unique('old@example.com');
      const user = account({ email: old });
      await store.provision([{ kind: 'newUser', account: user }]);
      await store.updateProfile(user.sub, { email: null }, NOW);
      assert.equal(await store.findAccount(old), undefined);
      assert.equal((await store.findAccount(user.username))?.email, undefined);
    });
  });
}

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Account } from '../../../src/directory/users/store.ts';
import { account, NOW, type OpenStore, unique } from './given.ts';
import { openForSuite } from './open-store.ts';

/** Changes of an account: each writes what it names, and none loses what another writes at the same time. */
export function userChangesContract(open: OpenStore): void {
  describe('a change of a profile', () => {
    const { store, another } = openForSuite(open);

    const aUser = async (over: Partial<Account> = {}) => {
      const user = account(over);
      await store.provision([{ kind: 'newUser', account: user }]);
      return user;
    };

    it('writes the fields that it names, and clears those that are null', async () => {
      const user = await aUser();
      const outcome = await store.updateProfile(user.sub, { nickname: 'New', picture: null }, NOW);
      assert.deepEqual(outcome, { kind: 'done' });
      const expected = { ...user, nickname: 'New', picture: undefined, updatedAt: NOW };
      assert.deepEqual(await store.findAccount(user.username), expected);
    });

    it('merges the standard claims one by one', async () => {
      const user = await aUser({ standardClaims: { name: 'Alice', locale: 'fr' } });
      await store.updateProfile(user.sub, { standardClaims: { locale: null, gender: 'female' } }, NOW);
      const found = await store.findAccount(user.username);
      assert.deepEqual(found?.standardClaims, { name: 'Alice', gender: 'female' });
    });

    it('sets groups and roles each as a whole, and keeps them otherwise', async () => {
      const user = await aUser({ membership: { groups: ['staff'], roles: { shop: ['admin'], '*': ['auditor'] } } });
      const held = async () => (await store.findAccount(user.username))?.membership;
      await store.updateProfile(user.sub, { nickname: 'New' }, NOW);
      assert.deepEqual(await held(), user.membership);
      await store.updateProfile(user.sub, { groups: ['sales'] }, NOW);
      assert.deepEqual(await held(), { ...user.membership, groups: ['sales'] });
      await store.updateProfile(user.sub, { roles: { bank: ['teller'] } }, NOW);
      assert.deepEqual(await held(), { groups: ['sales'], roles: { bank: ['teller'] } });
      await store.updateProfile(user.sub, { groups: null, roles: {} }, NOW);
      assert.equal(await held(), undefined);
    });

    it('takes another address for unverified, unless it says otherwise', async () => {
      const user = await aUser();
      await store.updateProfile(user.sub, { email: unique('new@example.com') }, NOW);
      assert.equal((await store.findAccount(user.username))?.emailVerified, false);
      await store.updateProfile(user.sub, { email: unique('next@example.com'), emailVerified: true }, NOW);
      assert.equal((await store.findAccount(user.username))?.emailVerified, true);
    });

    it('moves the login names with user name, e-mail and telephone number', async () => {
      const user = await aUser();
      const [username, email] = [unique('Renamed'), unique('New@Example.com')];
      await store.updateProfile(user.sub, { username, email }, NOW);
      for (const name of [username.toLowerCase(), email.toLowerCase(), user.phoneNumber ?? ''])
        assert.equal((await store.findAccount(name))?.sub, user.sub, name);
      for (const name of [user.username, user.email ?? '']) assert.equal(await store.findAccount(name), undefined);
    });

    it('is refused when a login name belongs to another user, and writes nothing', async () => {
      const [owner, thief] = [await aUser(), await aUser()];
      const outcome = await store.updateProfile(thief.sub, { nickname: 'Thief', email: owner.username }, NOW);
      assert.deepEqual(outcome, { kind: 'loginTaken', loginName: owner.username });
      assert.deepEqual(await store.findAccount(thief.username), thief);
      assert.equal((await store.findAccount(owner.username))?.sub, owner.sub);
    });

    it('gives an e-mail address that two users want at the same moment to one of them', async () => {
      const stores = [store, await another()] as const;
      for (let round = 0; round < 4; round++) {
        const [one, two] = [await aUser(), await aUser()];
        const email = unique('wanted@example.com');
        const outcomes = await Promise.all([
          stores[0].updateProfile(one.sub, { email }, NOW),
          stores[1].updateProfile(two.sub, { email }, NOW),
        ]);
        assert.deepEqual(outcomes.map(({ kind }) => kind).sort(), ['done', 'loginTaken']);
        const owner = outcomes[0].kind === 'done' ? one : two;
        const other = owner === one ? two : one;
        assert.equal((await store.findAccount(email))?.sub, owner.sub);
        assert.equal((await store.findAccount(other.username))?.email, other.email);
      }
    });

    it('and changes of other things at the same time all survive, on two store objects', async () => {
      const [here, there] = [store, await another()];
      for (let round = 0; round < 4; round++) {
        const { sub, username } = await aUser();
        const email = unique('new@example.com');
        const work = [
          () => here.updateProfile(sub, { nickname: 'New' }, NOW),
          () => there.updateProfile(sub, { email }, NOW),
          () => here.updateProfile(sub, { phoneNumber: null, standardClaims: { locale: 'fr' } }, NOW),
          () => there.updateProfile(sub, { standardClaims: { gender: 'female' } }, NOW),
          () => here.provision([{ kind: 'user', sub, profile: { picture: null }, now: NOW }]),
          () => there.changePassword(sub, 'new hash', NOW),
          () => here.provision([{ kind: 'user', sub, disabled: true, now: NOW }]),
        ];
        const outcomes = await Promise.all((round % 2 === 0 ? work : work.toReversed()).map(each => each()));
        for (const outcome of outcomes) assert(outcome === true || (outcome as { kind: string }).kind === 'done');
        const found = await store.findAccount(username);
        const { standardClaims, nickname, phoneNumber, picture, passwordHash, disabled } = found ?? {};
        assert.deepEqual(
          { email: found?.email, nickname, phoneNumber, picture, passwordHash, disabled },
          {
            email,
            nickname: 'New',
            phoneNumber: undefined,
            picture: undefined,
            passwordHash: 'new hash',
            disabled: true,
          },
        );
        assert.deepEqual(
          [standardClaims?.locale, standardClaims?.gender, standardClaims?.name],
          ['fr', 'female', 'Alice Example'],
        );
        assert.equal((await store.findAccount(email))?.sub, sub);
      }
    });

    it('and an apply file that was planned before it leave each other what they name', async () => {
      const user = await aUser();
      await store.updateProfile(user.sub, { email: unique('by-the-user@example.com') }, NOW);
      await store.changePassword(user.sub, 'by the user', NOW);
      await store.provision([{ kind: 'user', sub: user.sub, profile: { nickname: 'By the file' }, now: NOW }]);
      const found = await store.findAccount(user.username);
      assert.match(found?.email ?? '', /^by-the-user/);
      assert.deepEqual([found?.nickname, found?.passwordHash], ['By the file', 'by the user']);
    });

    it('of a user that is not there is no change', async () => {
      const sub = unique('nobody');
      assert.deepEqual(await store.updateProfile(sub, { nickname: 'x' }, NOW), { kind: 'unknown' });
      const outcomes = [
        await store.changePassword(sub, 'hash', NOW),
        await store.replacePasswordHash(sub, 'from', 'to'),
      ];
      assert.deepEqual(outcomes, [false, false]);
      assert.deepEqual(await store.provision([{ kind: 'user', sub, disabled: true, now: NOW }]), { kind: 'done' });
    });
  });
}

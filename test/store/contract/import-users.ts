import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Account, ImportEntry } from '../../../src/directory/users/store.ts';
import { passkeyIdOf } from '../../../src/people/passkey/rules.ts';
import type { PasskeyRecord } from '../../../src/people/passkey/store.ts';
import { account, type OpenStore, unique } from './given.ts';
import { openForSuite } from './open-store.ts';
import { anAct, assertNotRecorded, assertRecorded } from './users-fixture.ts';

const entry = (user: Account, over: Partial<ImportEntry> = {}): ImportEntry => ({
  account: user,
  keepsSub: false,
  change: undefined,
  ...over,
});

/** Users in bulk, as `gatehouse import users` writes them. */
export function importUsersContract(open: OpenStore): void {
  describe('users in bulk', () => {
    const { store, another } = openForSuite(open);
    const put = async (entries: readonly ImportEntry[], act = anAct('configuration.applied', 'import')) =>
      (await store.importUsers(entries, () => act.event)).map(({ kind }) => kind);

    it('are created with every field, and found by every name, with one event for all', async () => {
      const users = [
        account(),
        account({ passwordHash: undefined, disabled: true, standardClaims: undefined }),
        account({ nickname: undefined, picture: undefined, email: undefined, emailVerified: false }),
        account({ username: unique('O\'Brien "x" \\ 李') }),
      ];
      const act = anAct('configuration.applied', 'import');
      assert.deepEqual(
        await put(
          users.map(user => entry(user)),
          act,
        ),
        Array(4).fill('created'),
      );
      for (const user of users) {
        const found = await store.findAccount(user.username.toLowerCase());
        assert.deepEqual(found, user);
        if (user.email) assert.equal((await store.findAccount(user.email.toLowerCase()))?.sub, user.sub);
      }
      await assertRecorded(store, act);
    });

    it('that exist stay as they are, so that the same entries again change nothing', async () => {
      const users = Array.from({ length: 5 }, () => account());
      await put(users.slice(0, 3).map(user => entry(user)));
      const again = users.map(user => entry({ ...user, sub: unique('sub'), nickname: 'Other' }));
      assert.deepEqual(await put(again), ['present', 'present', 'present', 'created', 'created']);
      assert.deepEqual(await store.findAccount(users[0]?.username ?? ''), users[0]);
      const act = anAct('configuration.applied', 'import');
      assert.deepEqual(await put(again, act), Array(5).fill('present'));
      await assertNotRecorded(store, act);
    });

    it('that exist are changed where the entry says so', async () => {
      const user = account();
      await put([entry(user)]);
      const change = { profile: { nickname: 'New', picture: null }, passwordHash: 'other' };
      assert.deepEqual(await put([entry({ ...user, sub: unique('sub') }, { change })]), ['updated']);
      const found = await store.findAccount(user.username);
      assert.deepEqual(
        [found?.sub, found?.nickname, found?.picture, found?.passwordHash],
        [user.sub, 'New', undefined, 'other'],
      );
    });

    it('are found by the sub that the entry keeps, also under another name', async () => {
      const user = account();
      await put([entry(user, { keepsSub: true })]);
      const renamed = { ...user, username: unique('renamed') };
      assert.deepEqual(await put([entry(renamed, { keepsSub: true })]), ['present']);
      const change = { profile: { username: renamed.username } };
      assert.deepEqual(await put([entry(renamed, { keepsSub: true, change })]), ['updated']);
      assert.equal((await store.findAccount(renamed.username))?.sub, user.sub);
      assert.deepEqual(await put([entry({ ...renamed, sub: unique('sub') }, { keepsSub: true })]), ['loginTaken']);
    });

    it('that name the sub of an entry before them are that user', async () => {
      const user = account();
      const twice = [user, { ...user, username: unique('twice'), email: undefined, phoneNumber: undefined }];
      assert.deepEqual(await put(twice.map(each => entry(each, { keepsSub: true }))), ['created', 'present']);
      assert.deepEqual(await store.findAccount(user.username), user);
    });

    it('with a name of another user are left out, alone', async () => {
      const owner = account();
      await put([entry(owner)]);
      const [good, thief, twin] = [account(), account({ email: owner.username }), account()];
      const same = account({ phoneNumber: twin.phoneNumber });
      const entries = [good, thief, twin, same].map(user => entry(user));
      const checked = await store.checkImport(entries);
      assert.deepEqual(
        checked.map(({ kind }) => kind),
        ['created', 'loginTaken', 'created', 'loginTaken'],
      );
      assert.equal(await store.findAccount(good.username), undefined, 'checking writes nothing');
      assert.deepEqual(await store.importUsers(entries, () => anAct('configuration.applied', 'import').event), checked);
      assert.equal((await store.findAccount(owner.username))?.sub, owner.sub);
      assert.equal(await store.findAccount(thief.username), undefined);
    });

    const aPasskey = (): PasskeyRecord => {
      const credentialId = unique('credential');
      return {
        ...{ id: passkeyIdOf(credentialId), credentialId, publicKey: 'pQECAyYg', transports: ['usb'], name: 'Key' },
        ...{ signCount: 3, isBackedUp: true, isSyncable: true, userHandle: 'aGFuZGxl' },
      };
    };

    it('bring passkeys, beside an authenticator app; a change adds those that the user has not', async () => {
      const [first, second] = [aPasskey(), aPasskey()];
      const user = account({ totp: 'sealed', passkeys: [first] });
      assert.deepEqual(await put([entry(user)]), ['created']);
      const held = { createdAt: user.updatedAt, lastUsedAt: undefined };
      assert.deepEqual(await store.passkeysOf(user.sub), [{ ...first, ...held }]);
      assert.equal((await store.findAccount(user.username))?.totp, 'sealed');
      const again = entry({ ...user, sub: unique('sub') }, { change: { passkeys: [first] } });
      assert.deepEqual(await put([again]), ['present']);
      assert.deepEqual(await put([{ ...again, change: { passkeys: [first, second] } }]), ['updated']);
      assert.equal((await store.passkeysOf(user.sub)).length, 2);
    });

    it('attack: with a passkey of another user are left out, alone, and the passkey stays where it is', async () => {
      const [taken, other] = [aPasskey(), aPasskey()];
      const [owner, victim] = [account({ passkeys: [taken] }), account()];
      await put([entry(owner), entry(victim)]);
      const [good, thief] = [account({ passkeys: [other] }), account({ passkeys: [taken] })];
      const taking = entry({ ...victim, sub: unique('sub') }, { change: { passkeys: [taken] } });
      const entries = [entry(good), entry(thief), taking];
      const refused = { kind: 'passkeyTaken', id: taken.id, username: owner.username };
      const checked = await store.checkImport(entries);
      assert.deepEqual(checked, [{ kind: 'created' }, refused, refused]);
      assert.deepEqual(await store.importUsers(entries, () => anAct('configuration.applied', 'import').event), checked);
      assert.equal((await store.findPasskey(taken.id))?.sub, owner.sub);
      assert.equal((await store.findPasskey(other.id))?.sub, good.sub);
      assert.equal(await store.findAccount(thief.username), undefined);
    });

    it('and others who want the same names at the same moment: each name has one owner', async () => {
      const other = await another();
      for (let round = 0; round < 3; round++) {
        const users = Array.from({ length: 20 }, () => account());
        const twins = users.map(user => account({ username: unique('twin'), email: user.email }));
        const outcomes = await Promise.all(
          [store, other].map((at, index) =>
            at.importUsers(
              (index === 0 ? users : twins.toReversed()).map(user => entry(user)),
              () => anAct('configuration.applied', 'import').event,
            ),
          ),
        );
        const kinds = outcomes.flat().map(({ kind }) => kind);
        assert.equal(kinds.filter(kind => kind === 'created').length, 20);
        assert.equal(kinds.filter(kind => kind === 'loginTaken').length, 20);
        for (const user of users) assert(await store.findAccount(user.email ?? ''));
      }
    });
  });
}

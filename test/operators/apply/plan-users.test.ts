import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hash as bcrypt } from '@node-rs/bcrypt';
import { anApplication, aUser, PASSWORD } from '../../build/fixture.ts';
import { usePlan } from './plan-fixture.ts';

describe('what apply changes', () => {
  const { server, clock, plan, apply, file } = usePlan();

  it('keeps the password of a user without --reset-passwords', async () => {
    const { store, passwords } = server.services;
    await apply(file());
    const stored = async () => (await store.findAccount('alice'))?.passwordHash;
    const changed = { users: [aUser({ password: 'another password' })] };
    assert.deepEqual(await apply(changed), []);
    assert.equal(await passwords.verify(PASSWORD, await stored()), 'right');
    assert.deepEqual(await apply(changed, true), ['user alice: password changed']);
    assert.equal(await passwords.verify('another password', await stored()), 'right');
  });

  it('keeps what the entry of a user does not name: a password alone wipes nothing (running.md, The apply file)', async () => {
    await apply({ users: [aUser(), { username: 'bob' }] });
    const { store } = server.services;
    const before = await store.findAccount('alice');
    const reset = { users: [{ username: 'alice', password: 'another password' }] };
    assert.deepEqual(await apply(reset, true), ['user alice: password changed']);
    const { passwordHash, ...rest } = (await store.findAccount('alice@example.com')) ?? {};
    assert.deepEqual({ ...rest, passwordHash: before?.passwordHash }, { ...before, updatedAt: clock.now() });
    assert.notEqual(passwordHash, before?.passwordHash);
    assert.deepEqual(await apply({ users: [{ username: 'Alice', nickname: 'Al' }] }), [
      'user Alice: username "alice" → "Alice"',
    ]);
    assert.deepEqual(await apply({ users: [{ username: 'bob', password: 'first' }] }, true), [
      'user bob: password set',
    ]);
    await apply(file(), true);
  });

  it('leaves a field that it does not name to a change made after it was planned', async () => {
    await apply({ users: [{ username: 'grace', password: 'first', nickname: 'G', email: 'grace@example.com' }] });
    const { store } = server.services;
    const { changes } = await plan({ users: [{ username: 'grace', nickname: 'Grace' }] });
    const { sub = '' } = (await store.findAccount('grace')) ?? {};
    await store.updateProfile(sub, { email: 'new@example.com' }, clock.now());
    await store.changePassword(sub, 'new hash', clock.now());
    assert.deepEqual(await store.provision(changes), { kind: 'done' });
    const found = await store.findAccount('new@example.com');
    assert.deepEqual([found?.nickname, found?.passwordHash], ['Grace', 'new hash']);
    assert.equal(await store.findAccount('grace@example.com'), undefined);
  });

  it('clears what an entry says is null, and a flag that is null is false', async () => {
    await apply(file());
    const cleared = { email: null, phone_number: null, nickname: null, picture: null };
    assert.deepEqual(
      await apply({ users: [{ username: 'alice', ...cleared, email_verified: null, disabled: null }] }),
      [
        'user alice: email "alice@example.com" → unset, email_verified true → false, phone_number "+8613800000001" → unset, phone_number_verified true → false, nickname "Al" → unset, picture "https://example.com/a.png" → unset',
      ],
    );
    const { store } = server.services;
    assert.equal(await store.findAccount('alice@example.com'), undefined, 'it is no login name any more');
    assert.equal(await store.findAccount('+8613800000001'), undefined);
    await apply(file());
  });

  it('merges the standard claims field by field, the postal address as a whole', async () => {
    const named = { name: 'Carol C', locale: 'fr', address: { locality: 'Lyon', country: 'France' } };
    await apply({ users: [{ username: 'carol', ...named }] });
    const claims = async () => (await server.services.store.findAccount('carol'))?.standardClaims;
    assert.deepEqual(await apply({ users: [{ username: 'carol', locale: null, gender: 'female' }] }), [
      'user carol: gender unset → "female", locale "fr" → unset',
    ]);
    assert.deepEqual(await apply({ users: [{ username: 'carol', nickname: 'C', address: '1 Rue X\nLyon' }] }), [
      'user carol: nickname unset → "C", address {"locality":"Lyon","country":"France"} → {"formatted":"1 Rue X\\nLyon"}',
    ]);
    assert.deepEqual(await claims(), { name: 'Carol C', gender: 'female', address: { formatted: '1 Rue X\nLyon' } });
    await apply({ users: [{ username: 'carol', name: null, gender: '', address: null }] });
    assert.equal(await claims(), undefined);
  });

  it('sets groups and roles each as a whole, and null clears them (modern contract, users)', async () => {
    const given = { groups: ['staff'], roles: { shop: ['admin'], '*': ['auditor'] } };
    await apply({ users: [{ username: 'grete', ...given }] });
    assert.deepEqual(await apply({ users: [{ username: 'grete', ...given }] }), []);
    assert.deepEqual(await apply({ users: [{ username: 'grete', nickname: 'G' }] }), [
      'user grete: nickname unset → "G"',
    ]);
    assert.deepEqual(await apply({ users: [{ username: 'grete', roles: { shop: ['reader'] }, groups: null }] }), [
      'user grete: groups ["staff"] → unset, roles {"shop":["admin"],"*":["auditor"]} → {"shop":["reader"]}',
    ]);
  });

  it('takes an address that changes for unverified, unless the entry says otherwise', async () => {
    await apply(file());
    assert.deepEqual(await apply({ users: [{ username: 'alice', email: 'Alice@example.com' }] }), [
      'user alice: email "alice@example.com" → "Alice@example.com"',
    ]);
    assert.deepEqual(await apply({ users: [{ username: 'alice', email: 'al@example.com' }] }), [
      'user alice: email "Alice@example.com" → "al@example.com", email_verified true → false',
    ]);
    const said = { username: 'alice', phone_number: '+8613800000009', phone_number_verified: true };
    assert.deepEqual(await apply({ users: [said] }), ['user alice: phone_number "+8613800000001" → "+8613800000009"']);
    await apply(file());
  });

  it('keeps the subject of a user, and moves updated_at only when something changes', async () => {
    await apply(file());
    const { store } = server.services;
    const before = await store.findAccount('alice');
    clock.advance(500);
    await apply(file());
    assert.equal((await store.findAccount('alice'))?.updatedAt, before?.updatedAt);
    await apply({ users: [aUser({ nickname: 'Other' })] });
    const changed = await store.findAccount('alice');
    assert.equal(changed?.sub, before?.sub);
    assert.equal(changed?.updatedAt, clock.now());
  });

  it('takes an e-mail address for the name where there is no other, and finds the user again by it', async () => {
    const { store } = server.services;
    assert.deepEqual(await apply({ users: [{ email: 'Dave@example.com', nickname: 'D' }] }), [
      'user Dave@example.com: created',
    ]);
    const dave = await store.findAccount('dave@example.com');
    assert.deepEqual([dave?.username, dave?.email], ['Dave@example.com', 'Dave@example.com']);
    assert.deepEqual(await apply({ users: [{ email: 'Dave@example.com', nickname: 'Dave' }] }), [
      'user Dave@example.com: nickname "D" → "Dave"',
    ]);
    const named = { username: 'Dave@example.com', email: 'dave@example.com' };
    assert.deepEqual(await apply({ users: [named] }), [
      'user Dave@example.com: email "Dave@example.com" → "dave@example.com"',
    ]);
    assert.equal((await store.findAccount('dave@example.com'))?.sub, dave?.sub);
  });

  it('finds a user who has a name by the e-mail address alone, and keeps the name', async () => {
    await apply(file());
    assert.deepEqual(await apply({ users: [{ email: 'alice@example.com', nickname: 'Alice' }] }), [
      'user alice: nickname "Al" → "Alice"',
    ]);
    await apply(file());
  });

  it('says when two entries are the same user, which only the store can tell', async () => {
    await apply(file());
    const { faults } = await plan({ users: [{ username: 'alice', nickname: 'A' }, { email: 'alice@example.com' }] });
    assert.deepEqual(faults, [{ path: ['users', 1], message: 'is the same user as', other: ['users', 0] }]);
  });

  it('sets a hash from another system when the user is created, and later only with --reset-passwords', async () => {
    const { store, passwords } = server.services;
    const hash = (password: string) => bcrypt(password, 4);
    const [first, second] = [await hash('from elsewhere'), await hash('another')];
    const stored = async () => (await store.findAccount('erin'))?.passwordHash;
    assert.deepEqual(await apply({ users: [{ username: 'erin', password_hash: first }] }), ['user erin: created']);
    assert.equal(await stored(), first);
    assert.equal(await passwords.verify('from elsewhere', first), 'right');
    assert.deepEqual(await apply({ users: [{ username: 'erin', password_hash: second }] }), []);
    assert.deepEqual(await apply({ users: [{ username: 'erin', password_hash: second }] }, true), [
      'user erin: password changed',
    ]);
    assert.equal(await stored(), second);
    assert.deepEqual(await apply({ users: [{ username: 'erin', password_hash: second }] }, true), []);
  });

  it('finds at the time of the write that a name belongs to another user, and then writes nothing', async () => {
    await apply(file());
    for (const user of [
      { username: 'bob', email: 'alice@example.com' },
      { username: 'alice@example.com' },
      { username: 'bob', phone_number: '+8613800000001' },
    ]) {
      const { changes } = await plan({ applications: [anApplication({ code: 'never' })], users: [user] });
      assert.equal((await server.services.store.provision(changes)).kind, 'loginTaken');
      assert.equal(await server.services.store.findApplication('never'), undefined);
    }
  });

  it('lets two users swap their e-mail addresses', async () => {
    const users = (one: string, two: string) => ({
      users: [
        { username: 'one', email: one },
        { username: 'two', email: two },
      ],
    });
    await apply(users('a@example.com', 'b@example.com'));
    await apply(users('b@example.com', 'a@example.com'));
    assert.equal((await server.services.store.findAccount('a@example.com'))?.username, 'two');
  });
});

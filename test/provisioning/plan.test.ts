import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { hash as bcrypt } from '@node-rs/bcrypt';
import { readApplyFiles } from '../../src/provisioning/apply-file.ts';
import { planChanges } from '../../src/provisioning/plan.ts';
import { type FixedClock, fixedClock } from '../build/clock.ts';
import { aClient, anApplication, aPublicClient, aUser, PASSWORD } from '../build/fixture.ts';
import { type Provisioned, startTestServer, type TestServer } from '../build/test-server.ts';

describe('what apply changes', () => {
  let server: TestServer;
  let clock: FixedClock;
  before(async () => {
    clock = fixedClock();
    server = await startTestServer({ clock, applications: [], users: [] });
  });
  after(() => server.close());

  const plan = (file: Provisioned, resetPasswords = false) => {
    const read = readApplyFiles([{ name: 'test', text: JSON.stringify(file) }]);
    assert(read.kind === 'valid', read.kind === 'faulty' ? read.faults.join('; ') : '');
    return planChanges(server.services, read.file, { resetPasswords });
  };
  const apply = async (file: Provisioned, resetPasswords = false) => {
    const { changes, lines } = await plan(file, resetPasswords);
    assert.deepEqual(await server.services.store.provision(changes), { kind: 'done' });
    return lines;
  };

  const file = (): Provisioned => ({
    applications: [anApplication({ clients: [aClient(), aPublicClient(), {}] })],
    users: [aUser({ disabled: false })],
  });

  it('creates what is not there, and the second time nothing', async () => {
    const lines = await apply(file());
    assert.equal(lines[0], 'application shop: created');
    assert(lines.includes('client shop/web: created'));
    assert(lines.includes('client shop/spa: created'));
    assert(lines.includes('user alice: created'));
    clock.advance(1000);
    assert.deepEqual(await plan(file()), { changes: [], lines: [], faults: [] });
  });

  it('generates a client_id that is found again, and a secret that is shown once', async () => {
    const own = { applications: [anApplication({ code: 'gen', clients: [{ client_name: 'Till' }] })] };
    const lines = await apply(own);
    const made = lines
      .map(line => /^client gen\/(\S+): client_secret (\S+) \(generated/.exec(line))
      .find(found => found);
    const [, clientId = '', secret = ''] = made ?? [];
    assert.match(clientId, /^gen-[0-9a-f]{12}$/);
    assert.equal(Buffer.from(secret, 'base64url').length, 32);
    const stored = await server.services.store.findClient('gen', clientId);
    assert(stored?.secret_hash);
    assert.equal(server.services.ring.verifyClientSecret('gen', clientId, secret, stored.secret_hash), true);
    assert.deepEqual(await apply(own), []);
  });

  it('gives a public client 10 seconds to repeat a refresh, and any other 30 (row 41)', async () => {
    await apply(file());
    const grace = async (client: string) =>
      (await server.services.store.findClient('shop', client))?.refresh_token_grace;
    assert.deepEqual([await grace('spa'), await grace('web')], [10, 30]);
  });

  it('gives a public client no secret', async () => {
    await apply(file());
    assert.equal((await server.services.store.findClient('shop', 'spa'))?.secret_hash, undefined);
  });

  it('takes a client that becomes public its secret away, and gives one that ceases to be public a new one', async () => {
    const as = (client: object) => ({
      applications: [anApplication({ code: 'swap', clients: [{ client_id: 'c', ...client }] })],
    });
    await apply(as({ client_secret: 'the-first-one' }));
    const [taken = ''] = await apply(as({ token_endpoint_auth_method: 'none' }));
    assert.match(taken, /token_endpoint_auth_method "client_secret_basic" → "none"/);
    assert.match(taken, /client_secret removed/);
    assert.equal((await server.services.store.findClient('swap', 'c'))?.secret_hash, undefined);
    const [given = '', shown = ''] = await apply(as({}));
    assert.match(given, /client_secret set/);
    assert.match(shown, /^client swap\/c: client_secret \S{43} \(generated, shown only now\)$/);
  });

  it('keeps the secret of a client whose file names none', async () => {
    const as = (client: object) => ({
      applications: [anApplication({ code: 'keep', clients: [{ client_id: 'c', ...client }] })],
    });
    await apply(as({ client_secret: 'the-first-one' }));
    const before = (await server.services.store.findClient('keep', 'c'))?.secret_hash;
    assert.deepEqual(await apply(as({ client_name: 'C' })), ['client keep/c: client_name "c" → "C"']);
    assert.equal((await server.services.store.findClient('keep', 'c'))?.secret_hash, before);
  });

  it('says of every field what it was and what it becomes, by the names of the file, and of a secret only that it changes', async () => {
    await apply(file());
    const lines = await apply(
      {
        applications: [
          anApplication({
            name: 'Store',
            clients: [
              aClient({
                client_secret: 'changed-secret-1',
                require_pkce: true,
                scope: 'openid email',
                redirect_uris: ['https://new.example/cb', 'https://client.example/cb'],
              }),
            ],
          }),
        ],
        users: [
          aUser({ nickname: 'Ally "the cat"', phone_number: null, picture: null, disabled: true, password: 'new one' }),
        ],
      },
      true,
    );
    assert.deepEqual(lines, [
      'application shop: name "Shop" → "Store"',
      'client shop/web: redirect_uris ["https://client.example/cb"] → ["https://new.example/cb","https://client.example/cb"], scope "openid profile email phone" → "openid email", require_pkce false → true, client_secret changed',
      'user alice: phone_number "+8613800000001" → unset, nickname "Al" → "Ally \\"the cat\\"", picture "https://example.com/a.png" → unset, disabled false → true, password changed',
    ]);
    await apply(file(), true);
  });

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
      'user carol: locale "fr" → unset, gender unset → "female"',
    ]);
    assert.deepEqual(await apply({ users: [{ username: 'carol', nickname: 'C', address: '1 Rue X\nLyon' }] }), [
      'user carol: nickname unset → "C", address {"locality":"Lyon","country":"France"} → {"formatted":"1 Rue X\\nLyon"}',
    ]);
    assert.deepEqual(await claims(), { name: 'Carol C', gender: 'female', address: { formatted: '1 Rue X\nLyon' } });
    await apply({ users: [{ username: 'carol', name: null, gender: '', address: null }] });
    assert.equal(await claims(), undefined);
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
    assert.deepEqual(faults, ['users[1]: is the same user as users[0]']);
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

  it('leaves alone what the file does not name', async () => {
    await apply({ applications: [anApplication({ code: 'left', clients: [aClient(), aPublicClient()] })] });
    await apply({ applications: [anApplication({ code: 'left', clients: [] })] });
    assert(await server.services.store.findClient('left', 'spa'));
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

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { readApplyFiles } from '../../src/provisioning/apply-file.ts';
import { planChanges } from '../../src/provisioning/plan.ts';
import { type FixedClock, fixedClock } from '../build/clock.ts';
import { aClient, anApplication, aPublicClient, aUser, PASSWORD } from '../build/fixture.ts';
import { type House, openHouse, type Provisioned } from '../build/house.ts';

describe('what apply changes', () => {
  let house: House;
  let clock: FixedClock;
  before(async () => {
    clock = fixedClock();
    house = await openHouse({ clock, applications: [], users: [] });
  });
  after(() => house.close());

  const plan = (file: Provisioned, resetPasswords = false) => {
    const read = readApplyFiles([{ name: 'test', text: JSON.stringify(file) }]);
    assert(read.kind === 'valid', read.kind === 'faulty' ? read.faults.join('; ') : '');
    return planChanges(house.services, read.file, { resetPasswords });
  };
  const apply = async (file: Provisioned, resetPasswords = false) => {
    const { changes, lines } = await plan(file, resetPasswords);
    assert.deepEqual(await house.services.store.provision(changes), { kind: 'done' });
    return lines;
  };

  const file = (): Provisioned => ({
    applications: [anApplication({ clients: [aClient(), aPublicClient(), {}] })],
    users: [aUser()],
  });

  it('creates what is not there, and the second time nothing', async () => {
    const lines = await apply(file());
    assert.equal(lines[0], 'application shop: created');
    assert(lines.includes('client shop/web: created'));
    assert(lines.includes('client shop/spa: created'));
    assert(lines.includes('user alice: created'));
    clock.advance(1000);
    assert.deepEqual(await plan(file()), { changes: [], lines: [] });
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
    const stored = await house.services.store.findClient('gen', clientId);
    assert(stored?.secret_hash);
    assert.equal(house.services.ring.verifyClientSecret('gen', clientId, secret, stored.secret_hash), true);
    assert.deepEqual(await apply(own), []);
  });

  it('gives a public client 10 seconds to repeat a refresh, and any other 30 (row 41)', async () => {
    await apply(file());
    const grace = async (client: string) =>
      (await house.services.store.findClient('shop', client))?.refresh_token_grace;
    assert.deepEqual([await grace('spa'), await grace('web')], [10, 30]);
  });

  it('gives a public client no secret', async () => {
    await apply(file());
    assert.equal((await house.services.store.findClient('shop', 'spa'))?.secret_hash, undefined);
  });

  it('takes a client that becomes public its secret away, and gives one that ceases to be public a new one', async () => {
    const as = (client: object) => ({
      applications: [anApplication({ code: 'swap', clients: [{ client_id: 'c', ...client }] })],
    });
    await apply(as({ client_secret: 'the-first-one' }));
    await apply(as({ token_endpoint_auth_method: 'none' }));
    assert.equal((await house.services.store.findClient('swap', 'c'))?.secret_hash, undefined);
    const lines = await apply(as({}));
    assert(lines.some(line => line.includes('client_secret')));
  });

  it('keeps the secret of a client whose file names none', async () => {
    const as = (client: object) => ({
      applications: [anApplication({ code: 'keep', clients: [{ client_id: 'c', ...client }] })],
    });
    await apply(as({ client_secret: 'the-first-one' }));
    const before = (await house.services.store.findClient('keep', 'c'))?.secret_hash;
    assert.deepEqual(await apply(as({ client_name: 'C' })), ['client keep/c: changed client_name']);
    assert.equal((await house.services.store.findClient('keep', 'c'))?.secret_hash, before);
  });

  it('names the fields that change, never their values', async () => {
    await apply(file());
    const lines = await apply({
      applications: [
        anApplication({ name: 'Store', clients: [aClient({ client_secret: 'changed-one-1', require_pkce: true })] }),
      ],
      users: [aUser({ nickname: 'Ally', disabled: true })],
    });
    assert.equal(lines[0], 'application shop: changed name');
    assert.match(lines[1] ?? '', /^client shop\/web: changed (secret_hash|require_pkce), (secret_hash|require_pkce)$/);
    assert.match(lines[2] ?? '', /^user alice: changed nickname, disabled$/);
    assert.doesNotMatch(lines.join('\n'), /changed-one-1|Ally/);
    await apply(file());
  });

  it('keeps the password of a user, unless told to reset it', async () => {
    const { store, passwords } = house.services;
    await apply(file());
    const stored = async () => (await store.findAccount('alice'))?.passwordHash;
    const changed = { users: [aUser({ password: 'another password' })] };
    assert.deepEqual(await apply(changed), []);
    assert.equal(await passwords.verify(PASSWORD, await stored()), 'right');
    assert.deepEqual(await apply(changed, true), ['user alice: changed passwordHash']);
    assert.equal(await passwords.verify('another password', await stored()), 'right');
  });

  it('keeps the subject of a user, and moves updated_at only when something changes', async () => {
    await apply(file());
    const { store } = house.services;
    const before = await store.findAccount('alice');
    clock.advance(500);
    await apply(file());
    assert.equal((await store.findAccount('alice'))?.updatedAt, before?.updatedAt);
    await apply({ users: [aUser({ nickname: 'Other' })] });
    const changed = await store.findAccount('alice');
    assert.equal(changed?.sub, before?.sub);
    assert.equal(changed?.updatedAt, clock.now());
  });

  it('leaves alone what the file does not name', async () => {
    await apply({ applications: [anApplication({ code: 'left', clients: [aClient(), aPublicClient()] })] });
    await apply({ applications: [anApplication({ code: 'left', clients: [] })] });
    assert(await house.services.store.findClient('left', 'spa'));
  });

  it('finds that a name belongs to somebody else when it is written, and then writes nothing', async () => {
    await apply(file());
    for (const user of [
      { username: 'bob', email: 'alice@example.com' },
      { username: 'alice@example.com' },
      { username: 'bob', phone_number: '+8613800000001' },
    ]) {
      const { changes } = await plan({ applications: [anApplication({ code: 'never' })], users: [user] });
      assert.equal((await house.services.store.provision(changes)).kind, 'loginTaken');
      assert.equal(await house.services.store.findApplication('never'), undefined);
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
    assert.equal((await house.services.store.findAccount('a@example.com'))?.username, 'two');
  });
});

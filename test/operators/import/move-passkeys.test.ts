import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { passkeyIdOf, userHandleOf } from '../../../src/people/passkey/rules.ts';
import { gatehouse } from '../../build/command.ts';
import { delivered } from '../../build/delivered.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { aPasskey, askedBy, type SoftPasskey } from '../../build/passkey.ts';
import { suitePart } from '../../build/suite-part.ts';
import { Visitor } from '../../build/visitor.ts';
import {
  aPerson,
  byPasskey,
  enrolled,
  hasSession,
  idTokenOf,
  loginPage,
  sendPasskey,
  startPasskeyServer,
} from '../../people/passkey/passkeys-fixture.ts';
import { temporaryFolder } from '../../store/temporary-folder.ts';

/** Issue "people's accounts", point 7: the authenticator in software signs in where its passkey was moved to. */
describe('passkeys that move (export, apply, import users, admin API)', () => {
  const folder = suitePart(temporaryFolder);
  const source = suitePart(() => startPasskeyServer());
  const target = suitePart(() => startPasskeyServer());

  const written = (name: string, text: string): string => {
    const path = folder.file(name);
    writeFileSync(path, text);
    return path;
  };
  const lines = (...users: object[]) => written('users.jsonl', users.map(user => JSON.stringify(user)).join('\n'));
  const imported = (users: readonly object[], ...options: string[]) =>
    gatehouse(target, 'import', 'users', ...options, lines(...users));
  const subOf = async (username: string, at = target) => (await at.services.store.findAccount(username))?.sub ?? '';
  const passkeysOf = async (username: string, at = target) => at.services.store.passkeysOf(await subOf(username, at));

  /** A passkey that another system has made, and its entry. */
  const foreign = (traits: Parameters<typeof aPasskey>[0] = {}) => {
    const userHandle = Buffer.from(randomUUID()).toString('base64url');
    const passkey = aPasskey({ userHandle, ...traits });
    const { credentialId: credential_id, publicKey: public_key } = passkey;
    return { passkey, entry: { credential_id, public_key, user_handle: userHandle } };
  };
  let count = 0;
  const aName = () => `moved${++count}`;
  const signsIn = async (passkey: SoftPasskey) => idTokenOf(target, await byPasskey(target, passkey));

  it('export --credentials and apply: the same passkeys sign in at a new server, where users have another sub', async () => {
    const username = await aPerson(source);
    const [device, synced] = [aPasskey(), aPasskey({ isSynced: true, hasCounter: false })];
    await enrolled(source, username, device);
    const visitor = new Visitor(source.base);
    await byPasskey(source, device, { visitor });
    await enrolled(source, username, synced, visitor);
    for (const options of [[], ['--password-hashes']]) {
      const plain = await gatehouse(source, 'export', '--json', ...options);
      assert(!plain.out.includes(device.credentialId), 'only where it is asked for');
    }
    const full = await gatehouse(source, 'export', '--json', '--credentials');
    const sub = await subOf(username, source);
    const { passkeys } = JSON.parse(full.out).users.find((user: { username: string }) => user.username === username);
    assert.deepEqual(
      passkeys.find((each: { credential_id: string }) => each.credential_id === device.credentialId),
      {
        ...{ credential_id: device.credentialId, public_key: device.publicKey, user_handle: userHandleOf(sub) },
        ...{ name: 'Laptop', sign_count: device.signCount, backup_eligible: false, backed_up: false },
        transports: ['internal'],
      },
    );
    const path = written('export.json', full.out);
    const applied = await gatehouse(target, 'apply', path);
    assert.equal(applied.code, 0, applied.err);
    assert.notEqual(await subOf(username), sub);
    for (const [passkey, method] of [
      [device, 'hwk'],
      [synced, 'swk'],
    ] as const) {
      const { sub: signedIn, acr, amr } = await signsIn(passkey);
      assert.deepEqual([signedIn, acr, amr], [await subOf(username), 'phr', [method, 'user', 'mfa']]);
    }
  });

  it('a second export has the same handles, so that passkeys move on', async () => {
    const { passkey, entry } = foreign();
    const username = aName();
    assert.equal((await imported([{ username, passkeys: [entry] }])).code, 0);
    const text = (await gatehouse(target, 'export', '--json', '--credentials')).out;
    const { users } = JSON.parse(text) as { users: { username: string; passkeys?: object[] }[] };
    const written = users.find(user => user.username === username)?.passkeys;
    const rest = { name: 'Passkey', sign_count: 0, backed_up: false, transports: [] };
    assert.deepEqual(written, [{ ...entry, ...rest }]);
    await signsIn(passkey);
  });

  it('import users: signs in at once; the same file again, also with --update --reset-passwords, changes nothing', async () => {
    const { passkey, entry } = foreign();
    const user = { username: aName(), passkeys: [{ ...entry, name: 'Key', sign_count: 7, transports: ['usb'] }] };
    passkey.signCount = 7;
    assert.equal((await imported([user])).out, '1 users created, 0 changed, 0 exist already.\n');
    assert.equal((await signsIn(passkey)).sub, await subOf(user.username));
    const before = await passkeysOf(user.username);
    assert.deepEqual([before[0]?.signCount, before[0]?.name], [8, 'Key']);
    for (const options of [[], ['--update'], ['--update', '--reset-passwords']]) {
      const ran = await imported([user], ...options);
      assert.equal(ran.out, '0 users created, 0 changed, 1 exist already.\n', ran.err);
    }
    assert.deepEqual(await passkeysOf(user.username), before, 'the counter does not fall');
    await signsIn(passkey);
  });

  it('a passkey that the user removed does not come back, unless --reset-passwords says so (import users, apply)', async () => {
    const { entry } = foreign();
    const user = { username: aName(), passkeys: [entry] };
    const path = written('apply.json', JSON.stringify({ users: [user] }));
    assert.equal((await gatehouse(target, 'apply', path)).code, 0);
    const held = async () => (await passkeysOf(user.username)).length;
    const remove = async () => {
      const sub = await subOf(user.username);
      await target.services.store.removePasskey(sub, passkeyIdOf(entry.credential_id), target.clock.now());
    };
    // The only way in would stay.
    const { passwords, store } = target.services;
    const hash = await passwords.hash('another way in');
    await store.changePassword(await subOf(user.username), hash, target.clock.now());
    await remove();
    assert.equal((await gatehouse(target, 'apply', path)).out, 'Nothing to change.\n');
    assert.equal((await imported([user], '--update')).code, 0);
    assert.equal(await held(), 0);
    const reset = await gatehouse(target, 'apply', '--reset-passwords', path);
    assert.match(reset.out, /^user moved\d+: passkeys changed$/m);
    assert.equal((await gatehouse(target, 'apply', '--reset-passwords', path)).out, 'Nothing to change.\n');
    assert.equal(await held(), 1);
    await remove();
    const changed = await imported([user], '--update', '--reset-passwords');
    assert.equal(changed.out, '0 users created, 1 changed, 0 exist already.\n', changed.err);
    assert.equal(await held(), 1);
  });

  it('attack: a passkey of another user is not moved; the fault says whose it is and what to do', async () => {
    const { passkey, entry } = foreign();
    const [owner, thief] = [aName(), aName()];
    assert.equal((await imported([{ username: owner, passkeys: [entry] }])).code, 0);
    const stolen = { ...entry, user_handle: 'AAAA' };
    const reason = new RegExp(
      `belongs to the user "${owner}", as the factor passkey_[\\w-]{43}: .*remove it there first`,
    );
    for (const options of [[], ['--dry-run'], ['--update', '--reset-passwords']]) {
      const ran = await imported([{ username: aName() }, { username: thief, passkeys: [stolen] }], ...options);
      assert.deepEqual([ran.code, ran.err.split(':')[0]], [65, 'line 2'], ran.err);
      assert.match(ran.err, reason);
    }
    const path = written('thief.json', JSON.stringify({ users: [{ username: thief, passkeys: [stolen] }] }));
    for (const command of [['apply'], ['apply', '--dry-run'], ['diff']]) {
      const ran = await gatehouse(target, ...command, path);
      assert.deepEqual([ran.code, ran.err.includes('users[0].passkeys[0].credential_id: ')], [65, true], ran.err);
      assert.match(ran.err, reason);
    }
    const client = await anOperatorClient(target);
    const refused = await client.ask('POST', '/users', { username: thief, passkeys: [stolen] });
    assert.equal(refused.status, 409);
    assert.match(refused.json.detail, reason);
    assert.equal(await subOf(thief), '');
    const late = { username: aName(), passkeys: [foreign().entry] };
    await imported([late]);
    const taking = await imported([{ ...late, passkeys: [stolen] }], '--update', '--reset-passwords');
    assert.match(taking.err, reason);
    assert.equal((await signsIn(passkey)).sub, await subOf(owner));
  });

  it('the same credential id in two lines is a fault of the second', async () => {
    const { entry } = foreign();
    const ran = await imported([aName(), aName()].map(username => ({ username, passkeys: [entry] })));
    assert.deepEqual([ran.code, ran.err], [65, 'line 2: passkeys: is in line 1 already\n']);
  });

  it('attack: a user handle that is not the stored one is refused, also the one that this server would have given', async () => {
    const { passkey, entry } = foreign();
    const username = aName();
    await imported([{ username, passkeys: [entry] }]);
    const visitor = new Visitor(target.base);
    const page = await loginPage(target, visitor);
    for (const userHandle of [userHandleOf(await subOf(username)), 'AAAA', undefined]) {
      const seen = await sendPasskey(visitor, page, passkey.assert(askedBy(page), { userHandle }));
      assert.deepEqual([seen.status, hasSession(visitor)], [400, false]);
    }
    assert(delivered(await sendPasskey(visitor, page, passkey.assert(askedBy(page)))).fields.code, 'the truth works');
  });

  it('whether it can be synchronised is learnt at the first login, and holds from then on', async () => {
    const { passkey, entry } = foreign({ isSynced: true });
    const username = aName();
    await imported([{ username, passkeys: [entry] }]);
    assert.deepEqual((await signsIn(passkey)).amr, ['swk', 'user', 'mfa']);
    const [held] = await passkeysOf(username);
    assert.deepEqual([held?.isSyncable, held?.isBackedUp, held?.userHandle], [true, true, entry.user_handle]);
    const other = foreign();
    await imported([{ username: aName(), passkeys: [{ ...other.entry, backed_up: true }] }]);
    assert.equal((await byPasskey(target, other.passkey)).status, 400, 'what is backed up can be synchronised');
  });

  it('a user with a moved passkey adds another one here, and both sign in', async () => {
    const { passkey, entry } = foreign();
    const username = await aPerson(target, { passkeys: [entry] });
    const visitor = new Visitor(target.base);
    await byPasskey(target, passkey, { visitor });
    const added = await enrolled(target, username, aPasskey(), visitor);
    for (const each of [passkey, added]) assert.equal((await signsIn(each)).sub, await subOf(username));
  });

  it('the admin API takes them with a new user, and not in changes and invitations', async () => {
    const { passkey, entry } = foreign();
    const username = aName();
    const client = await anOperatorClient(target);
    const made = await client.ask('POST', '/users', { username, passkeys: [entry] });
    assert.equal(made.status, 201, made.text);
    assert(!made.text.includes(entry.credential_id));
    assert.equal((await signsIn(passkey)).sub, made.json.sub);
    for (const [method, path] of [
      ['PATCH', `/users/${made.json.sub}`],
      ['POST', '/invitations'],
    ] as const) {
      const refused = await client.ask(method, path, { email: 'a@example.com', passkeys: [foreign().entry] });
      assert.equal(refused.status, 400, refused.text);
    }
    const option = JSON.stringify([foreign().entry]);
    const ran = await gatehouse(target, 'users', 'create', '--username', aName(), '--passkeys', option);
    assert.equal(ran.code, 0, ran.err);
  });

  /** As Keycloak 26 writes it: the id in base64, the key in base64url, and the text of the user's id as user handle. */
  const keycloakUser = (passkey: SoftPasskey, id: string, type: string, over: object = {}) => ({
    ...{ id, username: aName(), enabled: true },
    credentials: [
      {
        ...{ id: randomUUID(), type, userLabel: ' Yubikey ', createdDate: 1_700_000_000_000, secretData: '{}' },
        credentialData: JSON.stringify({
          aaguid: '00000000-0000-0000-0000-000000000000',
          credentialId: Buffer.from(passkey.credentialId, 'base64url').toString('base64'),
          counter: passkey.signCount,
          credentialPublicKey: passkey.publicKey,
          attestationStatementFormat: 'none',
          transports: ['usb', 'made-up'],
          ...over,
        }),
      },
    ],
  });
  const fromKeycloak = (...users: object[]) => imported(users, '--from', 'keycloak');

  it("Keycloak's export: passkeys of both types sign in here", async () => {
    for (const type of ['webauthn', 'webauthn-passwordless']) {
      const id = randomUUID();
      const passkey = aPasskey({ userHandle: Buffer.from(id).toString('base64url'), isSynced: type !== 'webauthn' });
      passkey.signCount = 3;
      const user = keycloakUser(passkey, id, type);
      const ran = await fromKeycloak(user);
      assert.equal(ran.code, 0, ran.err);
      const { sub, acr } = await signsIn(passkey);
      assert.deepEqual([sub, acr], [id, 'phr']);
      const [held] = await passkeysOf(user.username);
      assert.deepEqual([held?.name, held?.transports, held?.signCount], ['Yubikey', ['usb'], 4]);
    }
  });

  it("Keycloak's export: what cannot be a passkey here is a fault of its line, and nobody loses a factor silently", async () => {
    const cases: readonly (readonly [object, RegExp])[] = [
      [{ credentialPublicKey: 'AAAA' }, /passkeys\.0\.public_key: must be/],
      [{ credentialId: undefined }, /passkeys\.0\.credential_id: is missing/],
      [{ counter: 'many' }, /passkeys\.0\.sign_count: /],
    ];
    for (const [over, reason] of cases) {
      const ran = await fromKeycloak(keycloakUser(aPasskey(), randomUUID(), 'webauthn', over));
      assert.equal(ran.code, 65);
      assert.match(ran.err, reason);
    }
    const without = { id: randomUUID(), username: aName(), credentials: [{ type: 'webauthn' }] };
    assert.match((await fromKeycloak(without)).err, /passkeys\.0\.credential_id: is missing/);
    const { id: _, ...nobody } = keycloakUser(aPasskey(), randomUUID(), 'webauthn');
    assert.match((await fromKeycloak(nobody)).err, /passkeys\.0\.user_handle: is missing/);
  });
});

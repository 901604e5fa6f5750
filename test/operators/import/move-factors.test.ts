import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { openTotpKey } from '../../../src/people/totp/key.ts';
import { encodeBase32 } from '../../../src/people/totp/rules.ts';
import { anAuthenticator, TOTP_SECRET } from '../../build/authenticator.ts';
import { gatehouse } from '../../build/command.ts';
import { delivered } from '../../build/delivered.ts';
import { aUser } from '../../build/fixture.ts';
import { suitePart } from '../../build/suite-part.ts';
import { startTestServer } from '../../build/test-server.ts';
import { formWith, signIn, Visitor } from '../../build/visitor.ts';
import { temporaryFolder } from '../../store/temporary-folder.ts';

/** Issue "people's accounts", point 7: users move between stores and from other systems with what they sign in with. */
describe('second factors that move (export, apply, import users)', () => {
  const folder = suitePart(temporaryFolder);
  const server = suitePart(() =>
    startTestServer({
      users: [aUser({ totp_secret: TOTP_SECRET, require_mfa: true })],
    }),
  );
  const target = suitePart(() => startTestServer({ users: [] }));
  const file = (users: readonly object[]): string => {
    const path = folder.file('users.jsonl');
    writeFileSync(path, users.map(each => JSON.stringify(each)).join('\n'));
    return path;
  };
  const secretOf = async (username: string, at = target) => {
    const account = await at.services.store.findAccount(username);
    const key = account?.totp === undefined ? undefined : openTotpKey(at.services.ring, account.sub, account.totp);
    return key && encodeBase32(key);
  };
  it('export leaves them out, unless --credentials asks for them; recovery codes are never in it', async () => {
    const { sub = '' } = (await server.services.store.findAccount('alice')) ?? {};
    await server.services.store.replaceRecoveryCodes(sub, ['recovery-hash'], 1);
    for (const options of [[], ['--password-hashes']]) {
      const plain = await gatehouse(server, 'export', '--json', ...options);
      assert.equal(plain.code, 0, plain.err);
      assert(!plain.out.includes(TOTP_SECRET));
    }
    const full = await gatehouse(server, 'export', '--json', '--credentials');
    const [user] = JSON.parse(full.out).users;
    assert.match(user.password_hash, /^\$argon2id/);
    assert.deepEqual([user.totp_secret, user.require_mfa], [TOTP_SECRET, true]);
    assert(!full.out.includes('recovery-hash'));
    assert.equal((await gatehouse(server, 'export', '--no-users', '--credentials')).code, 64);
  });

  it('applied to another store, the user signs in there with the same password and app', async () => {
    const path = folder.file('export.json');
    writeFileSync(path, (await gatehouse(server, 'export', '--json', '--credentials')).out);
    const applied = await gatehouse(target, 'apply', path);
    assert.equal(applied.code, 0, applied.err);
    assert.equal(await secretOf('alice'), TOTP_SECRET);
    await target.services.registry.refresh();
    const visitor = new Visitor(target.base);
    const page = await signIn(target, {}, { visitor });
    const app = anAuthenticator(target.services.clock);
    assert(delivered(await visitor.send(formWith(page, 'code'), { code: app.code() })).fields.code);
    assert(!applied.out.includes(TOTP_SECRET));
  });

  it('import users takes totp_secret and require_mfa', async () => {
    const line = { username: 'ida', totp_secret: TOTP_SECRET.toLowerCase(), require_mfa: true };
    const imported = await gatehouse(target, 'import', 'users', file([line, { username: 'ivo' }]));
    assert.equal(imported.code, 0, imported.err);
    assert.equal(await secretOf('ida'), TOTP_SECRET);
    assert.equal((await target.services.store.findAccount('ida'))?.requiresMfa, true);
    assert.equal(await secretOf('ivo'), undefined);
  });

  it('a user that exists keeps the app; --update --reset-passwords replaces it where the line has the sub', async () => {
    const other = encodeBase32(Buffer.from('another-key-of-twenty'));
    const { sub } = (await target.services.store.findAccount('ida')) ?? {};
    const update = (users: object[], ...options: string[]) =>
      gatehouse(target, 'import', 'users', ...options, file(users));
    await update([{ username: 'ida', totp_secret: other }]);
    await update([{ username: 'ida', totp_secret: other }], '--update');
    assert.equal(await secretOf('ida'), TOTP_SECRET);
    const ran = await update([{ sub, username: 'ida', totp_secret: other }], '--update', '--reset-passwords');
    assert.equal(ran.out, '0 users created, 1 changed, 0 exist already.\n', ran.err);
    assert.equal(await secretOf('ida'), other);
  });

  let kims = 0;
  const keycloakOtp = (credentialData: object, secretData: object) => ({
    username: `kim${++kims}`,
    credentials: [
      { type: 'otp', credentialData: JSON.stringify(credentialData), secretData: JSON.stringify(secretData) },
    ],
  });
  const USUAL = { subType: 'totp', digits: 6, counter: 0, period: 30, algorithm: 'HmacSHA1' };

  it("reads the one-time passwords of Keycloak's export", async () => {
    const plain = keycloakOtp(USUAL, { value: 'nVGWm5uCpZXRXhSN3jEe' });
    const encoded = keycloakOtp({ ...USUAL, secretEncoding: 'BASE32' }, { value: TOTP_SECRET });
    const ran = await gatehouse(target, 'import', 'users', '--from', 'keycloak', file([plain, encoded]));
    assert.equal(ran.code, 0, ran.err);
    assert.equal(await secretOf(plain.username), encodeBase32(Buffer.from('nVGWm5uCpZXRXhSN3jEe')));
    assert.equal(await secretOf(encoded.username), TOTP_SECRET);
  });

  it('a one-time password that no app here makes is a fault: nobody loses a factor silently', async () => {
    for (const data of [
      { ...USUAL, digits: 8 },
      { ...USUAL, algorithm: 'HmacSHA256' },
      { ...USUAL, subType: 'hotp' },
    ]) {
      const ran = await gatehouse(
        target,
        'import',
        'users',
        '--from',
        'keycloak',
        file([keycloakOtp(data, { value: 'x' })]),
      );
      assert.deepEqual([ran.code, /totp_secret: must be base32/.test(ran.err)], [65, true], ran.err);
    }
  });

  it('neither does one whose secret the export left out', async () => {
    const user = { username: 'kay', credentials: [{ type: 'otp' }] };
    const ran = await gatehouse(target, 'import', 'users', '--from', 'keycloak', file([user]));
    assert.deepEqual([ran.code, /totp_secret: must be base32/.test(ran.err)], [65, true], ran.err);
  });

  it("reads mfa_factors of Auth0's format", async () => {
    const factors = [{ phone: { value: '+8613800000000' } }, { totp: { secret: TOTP_SECRET } }];
    const user = { user_id: 'auth0|1', username: 'otto', email: 'otto@example.com', mfa_factors: factors };
    const ran = await gatehouse(target, 'import', 'users', '--from', 'auth0', file([user]));
    assert.equal(ran.code, 0, ran.err);
    assert.equal(await secretOf('otto'), TOTP_SECRET);
  });
});

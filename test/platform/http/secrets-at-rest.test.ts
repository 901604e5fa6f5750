import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  ALICE,
  aCode,
  aPkcePair,
  basic,
  introspect,
  redeem,
  refresh,
  token,
  userinfo,
  WEB,
} from '../../build/client.ts';
import { aTv, aWaitingDevice, decide, pollFor } from '../../build/device.ts';
import { aClient, anApplication, PASSWORD } from '../../build/fixture.ts';
import { actAsModernClient } from '../../build/modern-client.ts';
import { startTestServer, TEST_SECRET, type TestServer } from '../../build/test-server.ts';
import { Visitor } from '../../build/visitor.ts';

/** A reader of the database, of its backup or of the log must not be able to act as a user or client (rows 33, 41, 45). */
describe('secrets at rest', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-'));
  const secrets = new Map<string, string>();
  let server: TestServer;
  let stored: Buffer;
  let logged: string;

  before(async () => {
    server = await startTestServer({
      env: { DATABASE_URL: `sqlite:${join(folder, 'gatehouse.db')}` },
      applications: [
        anApplication({
          clients: [
            aClient(),
            aTv(),
            aClient({ client_id: 'jwt', client_secret: 'secret-of-jwt', access_token_format: 'jwt' }),
          ],
        }),
      ],
    });
    await useEverything(server);
    keep(await actAsModernClient(server));
    // Refused requests are kept, masked, and written after their answer; so are some events.
    await server.services.refusals.flush();
    await server.services.recorder.drain();
    const files = readdirSync(folder);
    assert(files.includes('gatehouse.db-wal'), 'the write-ahead log is part of what is read');
    stored = Buffer.concat(files.map(file => readFileSync(join(folder, file))));
    logged = server.logged();
  });
  after(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Every endpoint that gives out or takes a secret, in success and in failure. */
  async function useEverything(server: TestServer): Promise<void> {
    const visitor = new Visitor(server.base);
    const { verifier, challenge } = aPkcePair();
    const code = await aCode(server, { code_challenge: challenge, code_challenge_method: 'S256' }, { visitor });
    const unspent = await aCode(server, {}, { visitor });
    const set = (await redeem(server, code, { code_verifier: verifier })).json;
    const next = (await refresh(server, set.refresh_token)).json;
    await introspect(server, { token: next.access_token });
    await userinfo(server, next.access_token);
    const jwt = (await token(server, { grant_type: 'password', ...ALICE }, { auth: basic('jwt', 'secret-of-jwt') }))
      .json;
    const device = await aWaitingDevice(server);
    const waiting = await aWaitingDevice(server);
    await decide(server, device.user_code, 'allow', visitor);
    const connected = (await pollFor(server, device)).json;
    keep({ 'device code': device.device_code, 'waiting device code': waiting.device_code });
    keep({ 'user code': device.user_code, 'waiting user code': waiting.user_code.replace('-', '') });
    keep({
      'access token of the device': connected.access_token,
      'refresh token of the device': connected.refresh_token,
    });
    keep({
      code,
      unspent,
      verifier,
      'successor refresh token': next.refresh_token,
      'refresh token': set.refresh_token,
    });
    keep({ 'access token': set.access_token, 'refreshed access token': next.access_token });
    keep({ 'id token': set.id_token, 'jwt access token': jwt.access_token, 'jwt refresh token': jwt.refresh_token });
    keep({ password: PASSWORD, 'server secret': TEST_SECRET });
    keep({ 'client secret': 'web-secret-1', 'another client secret': 'secret-of-jwt' });
    keep(Object.fromEntries([...visitor.cookies].map(([name, value]) => [`cookie ${name}`, value])));

    await token(server, { grant_type: 'password', username: 'alice', password: 'wrong-password-of-test' });
    await token(server, { grant_type: 'password', ...ALICE }, { auth: basic('web', 'wrong-secret-of-test') });
    await redeem(server, 'gac_wrong-code-of-test', {}, { auth: WEB });
    await refresh(server, 'grt_wrong-refresh-of-test');
    await userinfo(server, 'gat_wrong-access-of-test');
    keep({ 'wrong password': 'wrong-password-of-test', 'wrong secret': 'wrong-secret-of-test' });
    keep({ 'wrong code': 'wrong-code-of-test', 'wrong refresh': 'wrong-refresh-of-test' });
    keep({ 'wrong access': 'wrong-access-of-test' });
  }

  function keep(found: Record<string, string>): void {
    for (const [name, secret] of Object.entries(found)) {
      assert(secret && secret.length >= 8, `no ${name}`);
      secrets.set(name, secret);
    }
  }

  it('reads the file that the server writes', () => {
    for (const known of ['alice@example.com', '"kty":"RSA"', '$argon2id$']) assert(stored.includes(known), known);
    assert.match(logged, /request\.refused/);
    for (const refused of ['client_assertion', 'invalid_dpop_proof']) assert(stored.includes(refused), refused);
    assert([...secrets.keys()].includes('cookie gatehouse_session'));
  });

  it('keeps no secret in the database file or its write-ahead log', () => {
    for (const [name, secret] of secrets) assert(!stored.includes(secret), `${name} is stored in the clear`);
  });

  it('keeps none of the random bytes behind a secret either', () => {
    for (const [name, secret] of secrets) {
      const bytes = Buffer.from(secret.replace(/^g[a-z]{2}_/, ''), 'base64url');
      if (bytes.length === 32) assert(!stored.includes(bytes), `the bytes of ${name} are stored`);
    }
  });

  it('keeps no private key in the clear', () => {
    // PKCS #8 names its algorithm: id-ecPublicKey, 1.2.840.10045.2.1.
    assert(!stored.includes(Buffer.from('06072a8648ce3d0201', 'hex')));
    assert(!/"d":"[\w-]{40,}"|PRIVATE KEY/.test(stored.toString('latin1')));
  });

  it('logs no secret, right or wrong', () => {
    for (const [name, secret] of secrets) assert(!logged.includes(secret), `${name} is logged`);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SignJWT, UnsecuredJWT } from 'jose';
import { verifyAccessToken } from '../../../src/oauth/signing-keys/verifier.ts';
import { fixedClock } from '../../build/clock.ts';
import { aClient, anApplication } from '../../build/fixture.ts';
import { suiteServer } from '../../build/test-server.ts';

describe('JWT access tokens (RFC 9068 section 4)', () => {
  const clock = fixedClock();
  const clients = [aClient(), aClient({ client_id: 'ecdsa', id_token_signed_response_alg: 'ES256' })];
  const server = suiteServer({
    clock,
    applications: [anApplication({ clients }), anApplication({ code: 'bank', name: 'Bank' })],
  });

  const claims = (over: object = {}) => ({
    iss: server.at(),
    aud: server.at(),
    exp: clock.now() + 60,
    jti: 'the-jti',
    sub: 's',
    ...over,
  });
  const sign = (over?: object, typ: 'JWT' | 'at+jwt' = 'at+jwt', app = 'shop', alg: 'ES256' | 'RS256' = 'RS256') =>
    server.services.signer.sign(app, alg, typ, claims(over));
  const verify = (jwt: string) => verifyAccessToken(server.services, 'shop', server.at(), jwt);

  it('give their jti, by either algorithm', async () => {
    assert.equal((await verify(await sign()))?.jti, 'the-jti');
    assert.equal((await verify(await sign({}, 'at+jwt', 'shop', 'ES256')))?.jti, 'the-jti');
  });

  it('give it for every audience, also an API that was removed: their row says what they are for', async () => {
    assert.equal((await verify(await sign({ aud: 'https://gone.example' })))?.jti, 'the-jti');
  });

  it('give the key to which they are bound, if any (cnf, RFC 7800 section 3.1)', async () => {
    assert.deepEqual((await verify(await sign({ cnf: { jkt: 'x' } })))?.confirmation, { jkt: 'x' });
    for (const cnf of [undefined, null, 'x'])
      assert.equal((await verify(await sign({ cnf })))?.confirmation, undefined);
  });

  for (const [what, make] of [
    ['an ID token, which has another typ (RFC 8725 section 3.11)', () => sign({}, 'JWT')],
    ['one that expired', () => sign({ exp: clock.now() })],
    ['one without an end', () => sign({ exp: undefined })],
    ['one without a jti', () => sign({ jti: undefined })],
    ['one of another issuer', () => sign({ iss: server.at('bank') })],
    ['one that another application signed (row 4)', () => sign({}, 'at+jwt', 'bank')],
    ['an unsigned one (alg none)', async () => new UnsecuredJWT(claims()).encode()],
    ['one signed with HMAC under the public key (RFC 8725 section 2.1)', () => confused()],
    ['no JWT at all', async () => 'a.b.c'],
    ['nothing', async () => ''],
  ] as const) {
    it(`do not verify: ${what}`, async () => {
      assert.equal(await verify(await make()), undefined);
    });
  }

  async function confused(): Promise<string> {
    const [key] = await server.services.signer.retainedKeys('shop');
    assert(key);
    const secret = Buffer.from(key.key.export({ type: 'spki', format: 'pem' }));
    return new SignJWT(claims()).setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid: key.jwk.kid }).sign(secret);
  }
});

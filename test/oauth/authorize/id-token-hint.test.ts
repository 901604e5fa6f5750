import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { describe, it } from 'node:test';
import {
  exportSPKI,
  generateKeyPair,
  importJWK,
  type JWTHeaderParameters,
  type JWTPayload,
  SignJWT,
  UnsecuredJWT,
} from 'jose';
import { aTokenSet, basic, claimsOf, get } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { assertSentBack, delivered } from '../../build/delivered.ts';
import { aClient, anApplication, aUser } from '../../build/fixture.ts';
import { atLogin, bob, logIn, signedIn, tokensFrom, tokensOf } from '../../build/people.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, type Fields, Visitor } from '../../build/visitor.ts';

let alice: Visitor;
/** ID tokens of alice and of bob, each from a browser of their own. */
let hers: string;
let his: string;

const clock = fixedClock();
const server = suiteServer(
  {
    clock,
    applications: [
      anApplication({ clients: [aClient(), aClient({ client_id: 'jwt', access_token_format: 'jwt' })] }),
      anApplication({ code: 'bank', name: 'Bank' }),
    ],
    users: [aUser(), bob()],
  },
  async () => {
    alice = await signedIn(server);
    hers = (await tokensOf(server, alice)).id_token;
    his = (await tokensOf(server, await signedIn(server, 'bob'))).id_token;
  },
);

const ask = (visitor: Visitor, id_token_hint: string, more: Fields = {}) =>
  visitor.follow(authorizationUrl(server, { id_token_hint, ...more }));
const headerOf = (jwt: string) => JSON.parse(Buffer.from(jwt.split('.')[0] ?? '', 'base64url').toString());
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('id_token_hint (row 21, OIDC Core 3.1.2.1)', () => {
  for (const prompt of [undefined, 'none']) {
    it(`of the signed-in user: goes on (prompt ${prompt})`, async () => {
      assert(delivered(await ask(alice, hers, { prompt })).fields.code);
    });
  }

  it('without a session: asks for a login, or login_required', async () => {
    const visitor = new Visitor(server.base);
    assertSentBack(server, await ask(visitor, hers, { prompt: 'none' }), { error: 'login_required' });
    const page = await ask(visitor, hers);
    assert(atLogin(page));
    assert(delivered(await logIn(visitor, page)).fields.code);
  });

  it('of another user: login_required with prompt=none', async () => {
    assertSentBack(server, await ask(alice, his, { prompt: 'none' }), { error: 'login_required' });
    assert(delivered(await ask(alice, hers, { prompt: 'none' })).fields.code, 'the session stays');
  });

  it('of another user: asks for a login, and that user gets in', async () => {
    const visitor = await signedIn(server);
    const page = await ask(visitor, his);
    assert(atLogin(page));
    const seen = await logIn(visitor, page, 'bob');
    assert.equal(claimsOf((await tokensFrom(server, seen)).id_token).sub, claimsOf(his).sub);
  });

  it('of another user: never answers for a user that the hint does not name', async () => {
    const visitor = await signedIn(server);
    const page = await ask(visitor, his);
    const description = 'The user who signed in is not the one that the request names.';
    assertSentBack(server, await logIn(visitor, page, 'alice'), { error: 'login_required', description });
  });

  it('that has expired is as good, also long after (expired is fine)', async () => {
    const visitor = await signedIn(server);
    const old = (await tokensOf(server, visitor)).id_token;
    clock.advance(5 * 3600);
    assert(claimsOf(old).exp < clock.now());
    assert(delivered(await ask(visitor, old, { prompt: 'none' })).fields.code);
    assertSentBack(server, await ask(visitor, his, { prompt: 'none' }), { error: 'login_required' });
    clock.advance(20 * 86_400);
    const later = await signedIn(server);
    assert(delivered(await ask(later, old, { prompt: 'none' })).fields.code);
  });

  it('of another client of the application is one of ours', async () => {
    const visitor = await signedIn(server);
    const set = await aTokenSet(server, {}, { auth: basic('jwt', 'web-secret-1') });
    assert(delivered(await ask(visitor, set.id_token, { prompt: 'none' })).fields.code);
  });
});

describe('id_token_hint that is not an ID token of this application: invalid_request (row 21)', () => {
  const claims = (): JWTPayload => ({ ...claimsOf(hers), exp: clock.now() + 3600 });
  const publicKey = async () => {
    const { kid } = headerOf(hers);
    const { json } = await get(`${server.at()}/jwks`);
    return json.keys.find((key: { kid: string }) => key.kid === kid);
  };
  const parts = () => hers.split('.') as [string, string, string];

  const forgeries: readonly (readonly [string, () => Promise<string> | string])[] = [
    ['nonsense', () => 'nonsense'],
    ['three parts of nonsense', () => 'a.b.c'],
    ['alg none without a signature', () => new UnsecuredJWT(claims()).encode()],
    ['alg none, with the kid and type of ours', () => `${encoded({ ...headerOf(hers), alg: 'none' })}.${parts()[1]}.`],
    [
      'alg none, with the signature of ours',
      () => `${encoded({ ...headerOf(hers), alg: 'none' })}.${parts()[1]}.${parts()[2]}`,
    ],
    ['alg NONE', () => `${encoded({ ...headerOf(hers), alg: 'NONE' })}.${parts()[1]}.`],
    [
      'HS256 with the public key in PEM as the secret',
      async () => {
        const pem = await exportSPKI((await importJWK(await publicKey(), 'RS256')) as CryptoKey);
        return signedWith(Buffer.from(pem), claims(), { ...headerOf(hers), alg: 'HS256' });
      },
    ],
    [
      'HS256 with the public key in DER as the secret',
      async () => {
        const der = createPublicKey({ key: await publicKey(), format: 'jwk' }).export({ type: 'spki', format: 'der' });
        return signedWith(der, claims(), { ...headerOf(hers), alg: 'HS256' });
      },
    ],
    [
      'HS256 with the JWK of the public key as the secret',
      async () =>
        signedWith(Buffer.from(JSON.stringify(await publicKey())), claims(), { ...headerOf(hers), alg: 'HS256' }),
    ],
    [
      'HS256 with the secret of the client',
      () => signedWith(Buffer.from('web-secret-1'.padEnd(32, '\0')), claims(), { alg: 'HS256', typ: 'JWT' }),
    ],
    [
      'a foreign key under our kid',
      async () => signedWith((await generateKeyPair('RS256')).privateKey, claims(), headerOf(hers)),
    ],
    [
      'a key that it brings along itself',
      async () => {
        const { privateKey } = await generateKeyPair('RS256');
        return signedWith(privateKey, claims(), { alg: 'RS256', typ: 'JWT', jwk: await publicKey() });
      },
    ],
    ['an unknown kid', () => `${encoded({ ...headerOf(hers), kid: 'x' })}.${parts()[1]}.${parts()[2]}`],
    ['no kid', () => `${encoded({ alg: 'RS256', typ: 'JWT' })}.${parts()[1]}.${parts()[2]}`],
    ['a broken signature', () => `${parts()[0]}.${parts()[1]}.${parts()[2].split('').reverse().join('')}`],
    ['no signature', () => `${parts()[0]}.${parts()[1]}.`],
    [
      'claims of another user under the signature of this one',
      () => `${parts()[0]}.${encoded({ ...claims(), sub: claimsOf(his).sub })}.${parts()[2]}`,
    ],
    ['an expired one with a broken signature', () => `${parts()[0]}.${encoded({ ...claims(), exp: 1 })}.${parts()[2]}`],
    ['an ID token of another application', async () => (await aTokenSet(server, {}, undefined, 'bank')).id_token],
    ['an opaque access token', async () => (await aTokenSet(server)).access_token],
    [
      'an access token that is a JWT of ours (RFC 9068 section 5)',
      async () => (await aTokenSet(server, {}, { auth: basic('jwt', 'web-secret-1') })).access_token,
    ],
    [
      'a logout token of ours',
      () =>
        server.services.signer.sign('shop', 'RS256', 'logout+jwt', {
          iss: server.at(),
          aud: 'web',
          sub: claimsOf(hers).sub,
        }),
    ],
  ];
  for (const [name, forge] of forgeries) {
    it(name, async () => {
      const visitor = await signedIn(server);
      const hint = await forge();
      for (const prompt of [undefined, 'none', 'login']) {
        assertSentBack(server, await ask(visitor, hint, { prompt }), {
          error: 'invalid_request',
          description: 'OAuth 2.0 Parameter: id_token_hint',
        });
      }
      assertSentBack(server, await ask(new Visitor(server.base), hint), { error: 'invalid_request' });
    });
  }

  it('goes where the answer of the flow would go (row 13)', async () => {
    const seen = await ask(alice, 'a.b.c', { response_type: 'id_token', nonce: 'n' });
    assertSentBack(server, seen, { error: 'invalid_request', place: 'fragment' });
  });
});

function signedWith(key: CryptoKey | Uint8Array, claims: JWTPayload, header: JWTHeaderParameters): Promise<string> {
  return new SignJWT(claims).setProtectedHeader(header).sign(key);
}

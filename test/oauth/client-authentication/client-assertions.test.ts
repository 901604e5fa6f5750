import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { aSigningPair, assertionFor, aWeakPair, presenting, type SigningPair } from '../../build/assertion.ts';
import { type Answered, assertRefused, aTokenSet, basic, introspect, post, revoke, token } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { aClient, anApplication, CALLBACK, type ClientInput } from '../../build/fixture.ts';
import { suiteServer } from '../../build/test-server.ts';
import type { Fields } from '../../build/visitor.ts';

const FAILED = 'Client authentication failed. Either the client or the client credentials are invalid.';
const SECRET = 'a secret of 32 characters or more';
const GRANT = { grant_type: 'client_credentials', scope: 'orders:read' };
const API = { identifier: 'https://api.shop.example', name: 'Orders', scopes: { 'orders:read': 'Read orders' } };

const RSA = aSigningPair('RS256');
const PSS = { ...RSA, alg: 'PS256' };
const EC = aSigningPair('ES256');
const ED = aSigningPair('EdDSA');
const STRANGER = aSigningPair('ES256', 'stranger');
/** Its exponent makes a verification long, so that another thread has it. */
const SLOW = slowPair();

const WEAK = aWeakPair();

function slowPair(): SigningPair {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent: 4_294_967_291 });
  return { alg: 'RS256', privateKey, publicJwk: { ...publicKey.export({ format: 'jwk' }), kid: 'kid-slow' } };
}

const machine = (over: ClientInput): ClientInput => ({
  grant_types: ['client_credentials'],
  scope: 'orders:read',
  token_endpoint_auth_method: 'private_key_jwt',
  ...over,
});

/** The application under test: a client per way of signing. */
const CLIENTS = [
  machine({ client_id: 'keys', jwks: { keys: [RSA, EC, ED, SLOW, WEAK].map(({ publicJwk }) => publicJwk) } }),
  {
    ...{ client_id: 'pusher', redirect_uris: [CALLBACK], token_endpoint_auth_method: 'private_key_jwt' as const },
    jwks: { keys: [EC.publicJwk] },
  },
  machine({ client_id: 'others', jwks: { keys: [aSigningPair('ES256', 'others').publicJwk] } }),
  machine({
    client_id: 'only-es',
    token_endpoint_auth_signing_alg: 'ES256',
    jwks: { keys: [RSA.publicJwk, EC.publicJwk] },
  }),
  machine({
    client_id: 'marked',
    jwks: { keys: [{ ...RSA.publicJwk, alg: 'PS256' }, { ...EC.publicJwk, use: 'enc' }, ED.publicJwk] },
  }),
  machine({ client_id: 'signer', token_endpoint_auth_method: 'client_secret_jwt', client_secret: SECRET }),
  machine({ client_id: 'basic', token_endpoint_auth_method: 'client_secret_basic', client_secret: SECRET }),
];

describe('client assertions: private_key_jwt and client_secret_jwt (RFC 7523, OpenID Connect Core section 9)', () => {
  const clock = fixedClock();
  const server = suiteServer({
    clock,
    env: { TRUSTED_PROXIES: '127.0.0.1' },
    applications: [
      anApplication({ apis: [API], clients: [aClient(), ...CLIENTS] }),
      anApplication({ code: 'bank', name: 'Bank', apis: [API], clients: CLIENTS }),
    ],
  });

  type Parts = Omit<Parameters<typeof assertionFor>[2], 'clientId'> & { readonly clientId?: string };
  const assertion = (signer: SigningPair | string, { clientId = 'keys', ...parts }: Parts = {}) =>
    assertionFor(server, signer, { clientId, now: clock.now(), ...parts });
  /** Each from an address of its own, so that none is throttled by the others. */
  let addresses = 0;
  const ask = (body: Fields, app?: string): Promise<Answered> => {
    addresses++;
    const headers = { 'x-forwarded-for': `10.${addresses >> 8}.${addresses & 255}.1` };
    return token(server, { ...GRANT, ...body }, { headers }, app);
  };
  const accepts = async (presented: string, over: Fields = {}) => {
    const answered = await ask(presenting(presented, over));
    assert.equal(answered.status, 200, answered.text);
  };
  const refuses = async (presented: string, over: Fields = {}) =>
    assertRefused(await ask(presenting(presented, over)), 401, 'invalid_client', FAILED);

  for (const [name, signer] of [
    ['RS256', RSA],
    ['PS256', PSS],
    ['ES256', EC],
    ['EdDSA', ED],
    ['a key with a large exponent', SLOW],
    ['Ed25519, the name of RFC 9864', { ...ED, alg: 'EdDSA' }],
  ] as const) {
    it(`takes ${name}, with its kid and without`, async () => {
      const header = name.startsWith('Ed25519') ? { alg: 'Ed25519' } : {};
      await accepts(assertion(signer, { header }));
      await accepts(assertion(signer, { header: { ...header, kid: undefined } }));
    });
  }

  it('takes HS256 with the secret of a client of client_secret_jwt', () =>
    accepts(assertion(SECRET, { clientId: 'signer' })));

  it('takes the issuer or the token endpoint as audience, alone or in a list (modern contract)', async () => {
    const endpoint = `${server.at()}/token`;
    await accepts(assertion(EC, { audience: `${server.at()}/par` })); // RFC 9126 section 2
    for (const audience of [
      server.at(),
      endpoint,
      [endpoint],
      [server.at(), endpoint],
      ['https://other.example', server.at()],
    ])
      await accepts(assertion(EC, { audience }));
  });

  it('takes a client_id beside it if it is the same, and the types JWT and client-authentication+jwt', async () => {
    await accepts(assertion(EC), { client_id: 'keys' });
    for (const typ of ['JWT', 'client-authentication+jwt']) await accepts(assertion(EC, { header: { typ } }));
  });

  it('takes clocks that differ by a minute, and an expiry five minutes ahead', async () => {
    const now = clock.now();
    await accepts(assertion(EC, { claims: { exp: now - 59, iat: now - 120 } }));
    await accepts(assertion(EC, { claims: { exp: now + 360, iat: now + 60, nbf: now + 60 } }));
    await accepts(assertion(EC, { claims: { iat: undefined, exp: now + 30.5 } }));
  });

  it('authenticates at introspection and revocation too', async () => {
    const set = await aTokenSet(server, {}, { auth: basic('web', 'web-secret-1') });
    const asked = await introspect(server, { token: set.access_token, ...presenting(assertion(EC)) }, {});
    assert.equal(asked.json.active, true, asked.text);
    const secret = presenting(assertion(SECRET, { clientId: 'signer' }));
    assert.equal((await revoke(server, { token: set.access_token, ...secret }, {})).status, 200);
    const again = presenting(assertion(EC));
    assert.equal((await introspect(server, { token: 'x', ...again }, {})).status, 200);
    assertRefused(await introspect(server, { token: 'x', ...again }, {}), 401, 'invalid_client', FAILED);
  });

  it('authenticates a pushed authorization request (RFC 9126 section 2)', async () => {
    const request = { response_type: 'code', redirect_uri: CALLBACK, scope: 'openid', client_id: 'pusher' };
    const push = (presented: string) => post(`${server.at()}/par`, { ...request, ...presenting(presented) });
    const right = assertion(EC, { clientId: 'pusher' });
    assert.equal((await push(right)).status, 201);
    assertRefused(await push(right), 401, 'invalid_client', FAILED);
    assertRefused(await push(assertion(STRANGER, { clientId: 'pusher' })), 401, 'invalid_client', FAILED);
  });

  const at = (seconds: number) => clock.now() + seconds;
  const PEM = createPublicKey(RSA.privateKey).export({ type: 'spki', format: 'pem' }).toString();
  const SAME = { claims: { jti: 'a'.repeat(36) } };
  /** A part of the jti is written in characters whose lowest byte is that of the right ones: another jti with the same signature. */
  const hiding = (signed: string) => {
    const block = Buffer.from('aaa').toString('base64url');
    const at =
      [...signed.matchAll(new RegExp(block, 'g'))].map(({ index }) => index)[1] ?? assert.fail('no such block');
    const hidden = [...block].map(each => String.fromCharCode(each.charCodeAt(0) + 0x100)).join('');
    return signed.slice(0, at) + hidden + signed.slice(at + block.length);
  };
  const HOSTILE: readonly (readonly [string, () => string])[] = [
    ['the key of somebody else', () => assertion(STRANGER)],
    [
      'the key of somebody else under a kid of the client',
      () => assertion(STRANGER, { header: { kid: EC.publicJwk.kid } }),
    ],
    ['the key of another client', () => assertion(aSigningPair('ES256', 'others'))],
    ['the key of another client, which the assertion names', () => assertion(EC, { clientId: 'others' })],
    [
      'a key inside the assertion (jwk)',
      () => assertion(STRANGER, { header: { kid: undefined, jwk: STRANGER.publicJwk } }),
    ],
    [
      'an address of keys inside the assertion (jku)',
      () => assertion(STRANGER, { header: { jku: 'https://evil.example/keys' } }),
    ],
    ['the key of somebody else under the kid of a slow key', () => assertion(RSA, { header: { kid: 'kid-slow' } })],
    ['a key of 1024 bits that looks longer', () => assertion(WEAK)],
    ['a kid that is unknown', () => assertion(EC, { header: { kid: 'unknown' } })],
    ['a kid that is a path', () => assertion(EC, { header: { kid: '../../../../dev/null' } })],
    ['a kid that is SQL', () => assertion(EC, { header: { kid: "' OR 1=1 --" } })],
    ['a kid that is empty', () => assertion(EC, { header: { kid: '' } })],
    ['a kid that is no text', () => assertion(EC, { header: { kid: ['kid-ES256'] } })],
    ['a kid of __proto__', () => assertion(EC, { header: { kid: '__proto__' } })],
    ['a huge kid', () => assertion(EC, { header: { kid: 'k'.repeat(20_000) } })],
    ['a kid of a key of another type', () => assertion(EC, { header: { kid: RSA.publicJwk.kid } })],
    ['alg none', () => assertion(EC, { header: { alg: 'none' } }).replace(/[^.]*$/, '')],
    ['alg None with a signature', () => assertion(EC, { header: { alg: 'None' } })],
    ['HS256 with the public key as the secret, as PEM', () => assertion(PEM, { header: { kid: RSA.publicJwk.kid } })],
    ['HS256 with the public key as the secret, as JWK', () => assertion(JSON.stringify(RSA.publicJwk))],
    ['HS256 with an empty secret', () => assertion('', { clientId: 'signer' })],
    ['HS256 with a wrong secret', () => assertion(`${SECRET}x`, { clientId: 'signer' })],
    [
      'HS384 for a client of client_secret_jwt',
      () => assertion(SECRET, { clientId: 'signer', header: { alg: 'HS384' } }),
    ],
    ['the algorithm of another key type', () => assertion(EC, { header: { alg: 'RS256' } })],
    ['the algorithm of another curve', () => assertion(EC, { header: { alg: 'ES384' } })],
    ['an algorithm that was not registered', () => assertion(RSA, { clientId: 'only-es' })],
    ['an algorithm that the key is not for', () => assertion(RSA, { clientId: 'marked' })],
    ['a key for encryption', () => assertion(EC, { clientId: 'marked' })],
    ['an assertion where a secret is registered', () => assertion(SECRET, { clientId: 'basic' })],
    ['a key where a secret is registered', () => assertion(EC, { clientId: 'basic' })],
    ['a key where client_secret_jwt is registered', () => assertion(EC, { clientId: 'signer' })],
    ['a client that does not exist', () => assertion(EC, { clientId: 'nobody' })],
    ['another iss', () => assertion(EC, { claims: { iss: 'others' } })],
    ['no iss', () => assertion(EC, { claims: { iss: undefined } })],
    ['another sub', () => assertion(EC, { claims: { sub: 'others' } })],
    ['no sub', () => assertion(EC, { claims: { sub: undefined } })],
    ['a sub that is a list', () => assertion(EC, { claims: { sub: ['keys'] } })],
    ['another audience', () => assertion(EC, { audience: 'https://other.example' })],
    ['no audience', () => assertion(EC, { audience: undefined })],
    ['an empty list as audience', () => assertion(EC, { audience: [] })],
    ['the issuer with a slash', () => assertion(EC, { audience: `${server.at()}/` })],
    ['another endpoint of the issuer', () => assertion(EC, { audience: `${server.at()}/introspect` })],
    ['another application of this server (row 4)', () => assertion(EC, { audience: server.at('bank') })],
    ['no exp', () => assertion(EC, { claims: { exp: undefined } })],
    ['an exp that is a text', () => assertion(EC, { claims: { exp: String(at(60)) } })],
    ['an exp in the past', () => assertion(EC, { claims: { exp: at(-60) } })],
    ['an exp far away', () => assertion(EC, { claims: { exp: at(361) } })],
    ['an exp beyond numbers', () => assertion(EC, { claims: { exp: 1e308 } })],
    ['an nbf in the future', () => assertion(EC, { claims: { nbf: at(61) } })],
    ['an iat in the future', () => assertion(EC, { claims: { iat: at(61) } })],
    ['no jti', () => assertion(EC, { claims: { jti: undefined } })],
    ['an empty jti', () => assertion(EC, { claims: { jti: '' } })],
    ['a jti that is a number', () => assertion(EC, { claims: { jti: 1 } })],
    ['a JWT for another purpose', () => assertion(EC, { header: { typ: 'dpop+jwt' } })],
    ['a critical extension', () => assertion(EC, { header: { crit: ['exp'] } })],
    ['an unencoded payload', () => assertion(EC, { header: { b64: false, crit: ['b64'] } })],
    ['other characters where a decoder sees none and the signature the same bytes', () => hiding(assertion(EC, SAME))],
    ['padding', () => `${assertion(EC)}==`],
    ['padding of HS256', () => `${assertion(SECRET, { clientId: 'signer' })}=`],
    ['the alphabet of base64', () => assertion(EC).replace(/[^.]*$/, part => `+/${part.slice(2)}`)],
    ['a signature cut short', () => assertion(EC).slice(0, -2)],
    ['no signature', () => assertion(EC).replace(/[^.]*$/, '')],
    [
      'another payload under the signature',
      () => assertion(EC).replace(/\.[^.]*\./, `.${assertion(EC).split('.')[1]}.`),
    ],
    ['four parts', () => `${assertion(EC)}.x`],
    ['text', () => 'not a JWT'],
    ['more than 8 KiB', () => assertion(EC, { claims: { more: 'x'.repeat(8192) } })],
  ];
  for (const [name, make] of HOSTILE) {
    it(`attack: refuses ${name}`, () => refuses(make()));
  }

  it('refuses an assertion at another application, though the client of that name has the same keys', async () => {
    assertRefused(await ask(presenting(assertion(EC)), 'bank'), 401, 'invalid_client', FAILED);
  });

  it('refuses a missing or wrong client_assertion_type, and the type alone (RFC 7521 section 4.2)', async () => {
    await refuses(assertion(EC), { client_assertion_type: undefined });
    await refuses(assertion(EC), { client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer' });
    await refuses('');
  });

  it('refuses the client_id of another client (RFC 7521 section 4.2), and a second method (RFC 6749 section 2.3)', async () => {
    assertRefused(await ask(presenting(assertion(EC), { client_id: 'others' })), 400, 'invalid_request');
    const twice = presenting(assertion(EC), { client_id: 'keys', client_secret: SECRET });
    assertRefused(await ask(twice), 400, 'invalid_request');
    const repeated = `grant_type=client_credentials&client_assertion=${assertion(EC)}&client_assertion=${assertion(EC)}`;
    assertRefused(await token(server, repeated, {}), 400, 'invalid_request');
  });

  it('refuses the secret of a client that is registered for assertions, and any secret of one with keys', async () => {
    for (const client_id of ['signer', 'keys']) {
      assertRefused(await ask({ client_id, client_secret: SECRET }), 401, 'invalid_client', FAILED);
      const auth = basic(client_id, SECRET);
      assertRefused(await token(server, GRANT, { auth }), 401, 'invalid_client', FAILED);
    }
  });

  it('attack: a replay is refused, one after the other and in parallel, until the assertion has expired', async () => {
    const first = assertion(EC);
    await accepts(first);
    await refuses(first);
    const raced = assertion(SECRET, { clientId: 'signer' });
    const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await ask(presenting(raced))).status));
    assert.deepEqual(statuses.sort(), [200, ...Array(19).fill(401)]);
    clock.advance(100);
    await server.services.store.purge(clock.now(), 1000);
    await refuses(first);
    clock.advance(10_000);
    await server.services.store.purge(clock.now(), 1000);
    await refuses(first);
  });

  it('the same jti is good for another client, and not again with another expiry while the first can be valid', async () => {
    const jti = 'the same';
    await accepts(assertion(EC, { claims: { jti } }));
    await accepts(assertion(SECRET, { clientId: 'signer', claims: { jti } }));
    // Over a whole block of time, in which each is remembered (platform/single-use/rules.ts): some cross its end.
    for (let time = 0; time < 5400; time += 180) {
      const expiring = (seconds: number) =>
        assertion(EC, { claims: { jti: `at ${time}`, exp: clock.now() + seconds } });
      await accepts(expiring(-50));
      await refuses(expiring(350));
      clock.advance(180);
    }
  });

  it('a wrong assertion does not use up the jti of the right one', async () => {
    const claims = { jti: 'mine' };
    await refuses(assertion(STRANGER, { claims }));
    await accepts(assertion(EC, { claims }));
  });

  it('attack: failures of somebody without the key lock the client out neither elsewhere nor at the same address', async () => {
    const from = (address: string, signer: SigningPair) =>
      token(server, { ...GRANT, ...presenting(assertion(signer)) }, { headers: { 'x-forwarded-for': address } });
    assert.equal((await from('10.9.9.1', EC)).status, 200);
    const statuses = new Set<number>();
    for (let count = 0; count < 40; count++) statuses.add((await from('10.9.9.1', STRANGER)).status);
    assert.deepEqual([...statuses], [401, 429]);
    assert.equal((await from('10.9.9.1', EC)).status, 200);
    assert.equal((await from('10.9.8.1', EC)).status, 200);
  });
});

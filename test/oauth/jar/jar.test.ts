import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { importJWK, SignJWT, UnsecuredJWT } from 'jose';
import * as client from 'openid-client';
import { asymmetricAlgs } from '../../../src/directory/clients/keys.rules.ts';
import { aSigningPair, type SigningPair } from '../../build/assertion.ts';
import { basic, claimsOf, get, post, redeem } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { delivered } from '../../build/delivered.ts';
import { aClient, CALLBACK } from '../../build/fixture.ts';
import { signedIn } from '../../build/people.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { type Fields, query, type Seen, signIn, Visitor } from '../../build/visitor.ts';

const OWN = aSigningPair('ES256');
const RSA = aSigningPair('PS256');
const OTHER = aSigningPair('ES256', 'other');
const clock = fixedClock();
const SECOND = 'https://client.example/second';

const signing = (over: Parameters<typeof aClient>[0] = {}) =>
  aClient({
    ...{ jwks: { keys: [OWN.publicJwk] }, request_object_signing_alg: 'ES256' },
    ...{ redirect_uris: [CALLBACK, SECOND] },
    ...over,
  });
const server = suiteServer({
  clock,
  clients: [
    signing(),
    aClient({ client_id: 'plain' }),
    signing({ client_id: 'must', require_signed_request_object: true }),
    signing({
      ...{ client_id: 'any', request_object_signing_alg: undefined, require_signed_request_object: true },
      jwks: { keys: [OWN.publicJwk, RSA.publicJwk] },
    }),
  ],
});
const alice = suitePart(() => signedIn(server));

interface Signing {
  readonly by?: SigningPair;
  readonly header?: Record<string, unknown>;
  readonly clientId?: string;
}

/** A request object as the client makes it; `over` changes or leaves out claims. */
async function object(
  over: Record<string, unknown> = {},
  { by = OWN, header = {}, clientId = 'web' }: Signing = {},
): Promise<string> {
  const claims = {
    ...{ iss: clientId, aud: server.at(), client_id: clientId, iat: clock.now(), exp: clock.now() + 60 },
    ...{ response_type: 'code', redirect_uri: CALLBACK, scope: 'openid email', state: 'signed', prompt: 'none' },
    ...over,
  };
  const jwk = by.privateKey.export({ format: 'jwk' });
  return new SignJWT(JSON.parse(JSON.stringify(claims)))
    .setProtectedHeader({ alg: by.alg, kid: by.publicJwk.kid, typ: 'oauth-authz-req+jwt', ...header })
    .sign(await importJWK(jwk, by.alg));
}

const auth = (fields: Fields) => alice.go(`${server.at()}/auth?${query({ client_id: 'web', ...fields })}`);
const answered = (seen: Seen, to = CALLBACK) => delivered(seen, to).fields;
/** Beside an object that does not hold. */
const BESIDE = { response_type: 'code', redirect_uri: CALLBACK, state: 'beside' };

describe('signed authorization requests (JAR, RFC 9101)', () => {
  it('answers what the client has signed, with client_id alone beside it (section 5)', async () => {
    const fields = answered(await auth({ request: await object() }));
    assert(fields.code);
    assert.equal(fields.state, 'signed');
    const { json } = await redeem(server, fields.code);
    assert.equal(claimsOf(json.id_token).email, 'alice@example.com');
  });

  it('reads nothing that stands beside the object (section 6.3)', async () => {
    const beside = { scope: 'openid phone', redirect_uri: SECOND, state: 'beside', prompt: 'login', max_age: '0' };
    const fields = answered(await auth({ ...beside, request: await object({ nonce: 'inside' }) }));
    assert.equal(fields.state, 'signed');
    const { json } = await redeem(server, fields.code);
    assert.deepEqual([json.scope, claimsOf(json.id_token).nonce], ['openid email', 'inside']);
  });

  it('takes numbers, objects and lists as the parameters that they are', async () => {
    const claims = { id_token: { phone_number: null } };
    const request = await object({ max_age: 3600, claims, scope: 'openid' });
    const { json } = await redeem(server, answered(await auth({ request })).code);
    assert(claimsOf(json.id_token).phone_number);
  });

  it('takes every type that says what it is for, and none', async () => {
    for (const typ of ['oauth-authz-req+jwt', 'JWT', 'application/oauth-authz-req+jwt', undefined]) {
      assert(answered(await auth({ request: await object({}, { header: { typ } }) })).code, typ ?? 'none');
    }
  });

  it('a client that has only to sign uses any algorithm of its keys', async () => {
    for (const by of [OWN, RSA]) {
      const request = await object({ iss: undefined }, { by, clientId: 'any' });
      assert(answered(await auth({ client_id: 'any', request })).code);
    }
  });

  const unsigned = () => new UnsecuredJWT({ client_id: 'web', redirect_uri: CALLBACK, response_type: 'code' }).encode();
  const later = (claims: Record<string, unknown>, how?: Signing) => () => object(claims, how);
  const hostile: readonly (readonly [string, () => string | Promise<string>])[] = [
    ['alg none', unsigned],
    ['no JWT', () => 'x.y.z'],
    ['a key that is not the client’s', later({}, { by: OTHER })],
    [
      'a key that is not the client’s, under the name of its own',
      later({}, { by: OTHER, header: { kid: OWN.publicJwk.kid } }),
    ],
    ['an algorithm that is not registered', later({}, { by: RSA })],
    ['another client_id', later({ client_id: 'plain' })],
    ['no client_id', later({ client_id: undefined })],
    ['another iss', later({ iss: 'plain' })],
    ['another aud', later({ aud: 'https://elsewhere.example' })],
    ['an exp that has passed', later({ exp: clock.now() - 61 })],
    ['an exp that is no time', later({ exp: 'tomorrow' })],
    ['an nbf that has not come', later({ nbf: clock.now() + 120 })],
    ['the type of an access token', later({}, { header: { typ: 'at+jwt' } })],
    ['an unknown critical extension', later({}, { header: { crit: ['b64'], b64: true } })],
    ['another request inside', async () => object({ request: await object() })],
    ['a request_uri inside', later({ request_uri: 'urn:ietf:params:oauth:request_uri:x' })],
    ['credentials inside', later({ client_secret: 'web-secret-1' })],
    ['an assertion of the client (section 10.8)', later({ sub: 'web', jti: 'x' })],
    [
      'a changed text',
      async () => {
        const [head, , signature] = (await object()).split('.');
        return `${head}.${Buffer.from('{"client_id":"web","redirect_uri":"https://evil.example"}').toString('base64url')}.${signature}`;
      },
    ],
    ['nine kilobytes', later({ nonce: 'n'.repeat(9000) })],
  ];
  for (const [name, make] of hostile) {
    it(`refuses ${name}: invalid_request_object, to the registered address beside it (section 6)`, async () => {
      const { error, state } = answered(await auth({ ...BESIDE, request: await make() }));
      assert.deepEqual([error, state], ['invalid_request_object', 'beside']);
    });
  }

  it('sends no error to an address that is not registered, and none without one: a page', async () => {
    for (const beside of [{}, { redirect_uri: 'https://evil.example/' }]) {
      const seen = await auth({ ...beside, request: unsigned() });
      assert.deepEqual([seen.status, seen.location], [400, undefined]);
    }
    const inside = await auth({ request: await object({ redirect_uri: 'https://evil.example/' }) });
    assert.deepEqual([inside.status, inside.location], [400, undefined]);
  });

  it('checks what is inside as any request', async () => {
    const { error, state } = answered(await auth({ request: await object({ scope: 'openid admin' }) }));
    assert.deepEqual([error, state], ['invalid_scope', 'signed']);
  });

  it('is demanded of a client with require_signed_request_object, at /auth and at /par (section 10.5)', async () => {
    const plain = { ...BESIDE, client_id: 'must', prompt: 'none', scope: 'openid' };
    const { error, error_description } = answered(await auth(plain));
    assert.deepEqual([error, error_description], ['invalid_request', 'OAuth 2.0 Parameter: request']);
    const sending = { auth: basic('must', 'web-secret-1') };
    const refused = await post(`${server.at()}/par`, plain, sending);
    assert.deepEqual([refused.status, refused.json.error], [400, 'invalid_request']);
    assert(answered(await auth({ client_id: 'must', request: await object({}, { clientId: 'must' }) })).code);
  });

  it('is opened when it is pushed: what is beside it does not count, and one that does not hold is refused at once (RFC 9126 section 3)', async () => {
    const sending = { auth: basic('must', 'web-secret-1') };
    const push = (fields: Fields) => post(`${server.at()}/par`, fields, sending);
    const request = await object({ state: 'pushed' }, { clientId: 'must' });
    const pushed = await push({ request, state: 'beside', scope: 'openid phone' });
    assert.equal(pushed.status, 201, pushed.text);
    const { code, state } = answered(await auth({ client_id: 'must', request_uri: pushed.json.request_uri }));
    assert(code);
    assert.equal(state, 'pushed');
    const others = await push({ request: await object() });
    assert.deepEqual([others.status, others.json.error], [400, 'invalid_request_object']);
  });

  it('is not supported for a client that does not sign, as before', async () => {
    const { error } = answered(await auth({ ...BESIDE, client_id: 'plain', request: await object() }));
    assert.equal(error, 'request_not_supported');
  });

  it('is signed by openid-client', async () => {
    const config = await client.discovery(new URL(server.at()), 'web', 'web-secret-1', undefined, {
      execute: [client.allowInsecureRequests],
    });
    const jwk = OWN.privateKey.export({ format: 'jwk' });
    const key = (await importJWK({ ...jwk, ext: true }, 'ES256')) as CryptoKey;
    const parameters = {
      redirect_uri: CALLBACK,
      scope: 'openid',
      state: 'theirs',
      prompt: 'none',
      response_type: 'code',
    };
    const modify = {
      [client.modifyAssertion]: (_: unknown, payload: Record<string, unknown>) =>
        Object.assign(payload, { iat: clock.now(), nbf: clock.now(), exp: clock.now() + 60 }),
    };
    const url = await client.buildAuthorizationUrlWithJAR(config, parameters, { key, kid: OWN.publicJwk.kid }, modify);
    assert(answered(await alice.go(url.href)).code);
  });

  it('is in discovery (section 10.5 and OpenID Connect Discovery section 3)', async () => {
    const { json } = await get(`${server.at()}/.well-known/openid-configuration`);
    assert.equal(json.request_parameter_supported, true);
    assert.deepEqual(json.request_object_signing_alg_values_supported, asymmetricAlgs);
    assert.equal(json.require_signed_request_object, false);
  });

  it('waits through the sign-in pages like any request', async () => {
    const visitor = new Visitor(server.base);
    const request = await object({ prompt: undefined });
    const seen = await signIn(
      server,
      { request, redirect_uri: undefined, scope: undefined, state: undefined },
      { visitor },
    );
    assert.equal(answered(seen).state, 'signed');
  });
});

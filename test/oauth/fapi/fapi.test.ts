import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { importJWK, SignJWT } from 'jose';
import * as client from 'openid-client';
import {
  type AssertionParts,
  aSigningPair,
  assertionFor,
  presenting,
  privateJwk,
  type SigningPair,
} from '../../build/assertion.ts';
import { ALICE, aPkcePair, assertRefused, claimsOf, get, post } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { delivered } from '../../build/delivered.ts';
import { aProof, publicJwk, thumbprintOf } from '../../build/dpop.ts';
import { aClient, CALLBACK, type ClientInput, PASSWORD } from '../../build/fixture.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { signedIn } from '../../build/people.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { type Fields, formWith, query, type Seen, Visitor } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';
import { fetchAs, HOLDER, own, TLS_ENV, withCertificate } from '../mtls/mtls-fixture.ts';

/** Sections of the FAPI 2.0 Security Profile, unless Message Signing is said. */
const KEY = aSigningPair('ES256', 'fapi');
const RSA = aSigningPair('RS256', 'fapi-rsa');
const DPOP = aSigningPair('ES256', 'fapi-dpop');
const clock = fixedClock(Math.floor(Date.now() / 1000));

const fapi = (over: ClientInput): ClientInput => {
  const { client_secret: _, ...fields } = aClient({
    ...{ profile: 'fapi2-security', grant_types: ['authorization_code', 'refresh_token'] },
    ...{ jwks: { keys: [KEY.publicJwk, RSA.publicJwk] } },
    ...over,
  });
  return fields as ClientInput;
};
const BY_CERTIFICATE = { token_endpoint_auth_method: 'tls_client_auth', tls_client_auth_subject_dn: HOLDER } as const;

const server = suiteServer({
  clock,
  env: TLS_ENV,
  clients: [
    aClient(),
    fapi({ client_id: 'bank' }),
    fapi({ client_id: 'insurer', jwks: undefined, ...BY_CERTIFICATE }),
    fapi({ client_id: 'signer', profile: 'fapi2-message-signing' }),
    fapi({ client_id: 'sealer', profile: 'fapi2-message-signing', ...BY_CERTIFICATE }),
    fapi({ client_id: 'keyed-cert', tls_client_certificate_bound_access_tokens: true }),
  ],
});
const alice = suitePart(() => signedIn(server));

const { verifier, challenge } = aPkcePair();
const REQUEST = {
  ...{ response_type: 'code', redirect_uri: CALLBACK, scope: 'openid offline_access', state: 'st', prompt: 'consent' },
  ...{ code_challenge: challenge, code_challenge_method: 'S256' },
};

const asserted = (clientId: string, parts: Partial<AssertionParts> = {}, by: SigningPair = KEY) =>
  presenting(assertionFor(server, by, { clientId, now: clock.now(), ...parts }));
const push = (clientId: string, over: Fields = {}, parts: Partial<AssertionParts> = {}, by?: SigningPair) =>
  post(`${server.at()}/par`, { ...REQUEST, prompt: undefined, ...asserted(clientId, parts, by), ...over });
const proof = (by = DPOP, method = 'POST', url = `${server.at()}/token`, accessToken?: string) =>
  aProof(by, method, url, { now: clock.now(), ...(accessToken === undefined ? {} : { accessToken }) });

async function aCode(clientId: string): Promise<string> {
  const { json } = await withStatus(201, push(clientId));
  const seen = await alice.follow(
    `${server.at()}/auth?${query({ client_id: clientId, request_uri: json.request_uri })}`,
  );
  const { code, iss } = delivered(seen).fields;
  assert.equal(iss, server.at(), 'section 5.3.2.2: the response has an iss (RFC 9207)');
  return code ?? assert.fail(seen.text);
}

const redeem = (code: string, over: Fields = {}, headers: Record<string, string> = { dpop: proof() }) =>
  post(
    `${server.at()}/token`,
    {
      grant_type: 'authorization_code',
      code,
      redirect_uri: CALLBACK,
      code_verifier: verifier,
      ...asserted('bank'),
      ...over,
    },
    { headers },
  );

const MTLS_FETCH: typeof fetch = (input, init) =>
  String(input).startsWith('https:') ? fetchAs(own)(input, init) : fetch(input, init);

/** The whole way of a client, by openid-client: a pushed request, a sign-in, tokens that are bound, userinfo, a refresh. */
async function wholeWay(clientId: string, { byCertificate, signs }: { byCertificate: boolean; signs: boolean }) {
  const key = (await importJWK(privateJwk(KEY), 'ES256')) as CryptoKey;
  const signing = { key, kid: KEY.publicJwk.kid };
  const metadata = {
    ...{ id_token_signed_response_alg: 'ES256', authorization_signed_response_alg: 'ES256' },
    use_mtls_endpoint_aliases: byCertificate,
  };
  const authentication = byCertificate ? client.TlsClientAuth() : client.PrivateKeyJwt(signing);
  const config = await client.discovery(new URL(server.at()), clientId, metadata, authentication, {
    execute: [client.allowInsecureRequests],
    [client.customFetch]: MTLS_FETCH as client.CustomFetch,
  });
  config[client.customFetch] = MTLS_FETCH as client.CustomFetch;
  if (signs) client.useJwtResponseMode(config);
  const DPoP = byCertificate ? undefined : client.getDPoPHandle(config, await client.randomDPoPKeyPair('ES256'));
  const bound = DPoP ? { DPoP } : {};
  const [state, nonce, pkceCodeVerifier] = [
    client.randomState(),
    client.randomNonce(),
    client.randomPKCECodeVerifier(),
  ];
  const code_challenge = await client.calculatePKCECodeChallenge(pkceCodeVerifier);
  const asked = { ...REQUEST, prompt: 'login', state, nonce, code_challenge };
  const { prompt: _, ...sent } = asked;
  const signed = signs
    ? (await client.buildAuthorizationUrlWithJAR(config, sent, signing, signFully)).searchParams
    : sent;
  const url = await client.buildAuthorizationUrlWithPAR(config, signed, bound);
  const { location } = await alice.follow(url.href);
  const back = new URL(location ?? assert.fail('no answer'));
  if (signs) assert.deepEqual([...back.searchParams.keys()], ['response']);
  const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier };
  const tokens = await client.authorizationCodeGrant(config, back, checks, undefined, bound);
  assert.equal(tokens.token_type, byCertificate ? 'bearer' : 'dpop');
  assert.equal(claimsOf(tokens.id_token ?? '').nonce, nonce);
  const sub = tokens.claims()?.sub ?? '';
  assert.equal((await client.fetchUserInfo(config, tokens.access_token, sub, bound)).sub, sub);
  const introspected = await client.tokenIntrospection(config, tokens.access_token);
  const expected = byCertificate ? { 'x5t#S256': own.thumbprint } : { jkt: await DPoP?.calculateThumbprint() };
  assert.deepEqual(introspected.cnf, expected);
  const held = tokens.refresh_token ?? assert.fail('no refresh token');
  for (let each = 0; each < 2; each++) {
    const renewed = await client.refreshTokenGrant(config, held, undefined, bound);
    assert.equal(renewed.refresh_token ?? held, held, 'section 5.3.2.1: refresh tokens are not rotated');
  }
}

/** Message Signing section 5.3.2: what the library leaves to its caller. */
const signFully = {
  [client.modifyAssertion]: (header: Record<string, unknown>, payload: Record<string, unknown>) => {
    header.typ = 'oauth-authz-req+jwt';
    payload.nbf = Math.floor(Date.now() / 1000);
  },
};

describe('FAPI 2.0 end to end, by openid-client', () => {
  it('Security Profile: private_key_jwt and DPoP', () => wholeWay('bank', { byCertificate: false, signs: false }));
  it('Security Profile: mutual TLS for both', () => wholeWay('insurer', { byCertificate: true, signs: false }));
  it('Message Signing: private_key_jwt and DPoP', () => wholeWay('signer', { byCertificate: false, signs: true }));
  it('Message Signing: mutual TLS for both', () => wholeWay('sealer', { byCertificate: true, signs: true }));
});

describe('a client with profile: fapi2-security', () => {
  it('pushes its requests, and authenticates for it (section 5.3.2.2)', async () => {
    const seen = await alice.go(`${server.at()}/auth?${query({ ...REQUEST, client_id: 'bank' })}`);
    const { error, iss } = delivered(seen).fields;
    assert.deepEqual([error, iss], ['invalid_request', server.at()]);
    assertRefused(await post(`${server.at()}/par`, { ...REQUEST, client_id: 'bank' }), 401, 'invalid_client');
    assertRefused(await post(`${server.at()}/par`, { ...REQUEST, client_id: 'insurer' }), 401, 'invalid_client');
    const { json } = await push('bank');
    assert(json.expires_in < 600);
  });

  it('uses PKCE with S256, names its redirect URI exactly, and asks for a code (section 5.3.2.2)', async () => {
    assertRefused(
      await push('bank', { code_challenge: undefined, code_challenge_method: undefined }),
      400,
      'invalid_request',
    );
    assertRefused(await push('bank', { code_challenge_method: 'plain' }), 400, 'invalid_request');
    assertRefused(await push('bank', { redirect_uri: undefined }), 400, 'invalid_request');
    assertRefused(await push('bank', { redirect_uri: `${CALLBACK}/` }), 400, 'invalid_request');
    for (const response_type of ['id_token', 'id_token token'])
      assertRefused(await push('bank', { response_type, nonce: 'n' }), 400, 'unauthorized_client');
    const code = await aCode('bank');
    assertRefused(await redeem(code, { code_verifier: aPkcePair().verifier }), 400, 'invalid_grant');
  });

  it('has the issuer as the only audience of its assertions, as a text (section 5.3.2.1)', async () => {
    for (const audience of [
      `${server.at()}/token`,
      `${server.at()}/par`,
      [server.at()],
      [server.at(), 'x'],
      `${server.at()}/`,
    ])
      assertRefused(await push('bank', {}, { audience }), 401, 'invalid_client');
    assert.equal((await push('bank', {}, { audience: server.at() })).status, 201);
  });

  it('may have a clock that is 10 s ahead, and not one more than 60 s ahead (section 5.3.2.1)', async () => {
    for (const name of ['iat', 'nbf']) {
      assert.equal((await push('bank', {}, { claims: { [name]: clock.now() + 10 } })).status, 201, name);
      assertRefused(await push('bank', {}, { claims: { [name]: clock.now() + 61 } }), 401, 'invalid_client');
    }
  });

  it('signs with PS256, ES256 or EdDSA, assertions and proofs alike (section 5.4.1)', async () => {
    assertRefused(await push('bank', {}, {}, RSA), 401, 'invalid_client');
    assert.equal((await push('bank', {}, {}, { ...RSA, alg: 'PS256' })).status, 201);
    const code = await aCode('bank');
    assertRefused(await redeem(code, {}, { dpop: proof(RSA) }), 400, 'invalid_dpop_proof', 'DPoP proof: alg');
    const { json } = await withStatus(200, redeem(code));
    assert.equal(JSON.parse(Buffer.from(json.id_token.split('.')[0], 'base64url').toString()).alg, 'ES256');
  });

  it('gets bound tokens alone, and authenticates always (section 5.3.2.1)', async () => {
    const code = await aCode('bank');
    assertRefused(await redeem(code, {}, {}), 400, 'invalid_request', 'DPoP proof: missing');
    const bare = { client_assertion: undefined, client_assertion_type: undefined };
    assertRefused(await redeem(code, { ...bare, client_id: 'bank' }), 401, 'invalid_client');
    for (const more of [{ code_verifier: undefined }, { grant_type: 'refresh_token', refresh_token: 'x' }])
      assertRefused(await redeem(code, { ...bare, client_id: 'bank', ...more }), 401, 'invalid_client');
    for (const [path, fields] of [
      ['/introspect', { token: 'x' }],
      ['/revoke', { token: 'x' }],
    ] as const)
      assertRefused(await post(`${server.at()}${path}`, { ...fields, client_id: 'bank' }), 401, 'invalid_client');
    // Nothing names the client, so that it is any.
    assertRefused(await redeem(code, bare), 401, 'access_denied');
    const { json } = await redeem(code);
    assertRefused(
      await get(`${server.at()}/userinfo`, { authorization: `Bearer ${json.access_token}` }),
      401,
      'invalid_token',
    );
    const pair = {
      authorization: `DPoP ${json.access_token}`,
      dpop: proof(DPOP, 'GET', `${server.at()}/userinfo`, json.access_token),
    };
    assert.equal((await get(`${server.at()}/userinfo`, pair)).status, 200);
    const without = await post(`${server.at()}/token`, { grant_type: 'client_credentials', ...asserted('keyed-cert') });
    assertRefused(without, 400, 'invalid_request', 'Client certificate: missing');
  });

  it('spends its request_uri with the answer, not when a page is loaded (section 5.3.2.2)', async () => {
    const { json } = await withStatus(201, push('bank'));
    const url = `${server.at()}/auth?${query({ client_id: 'bank', request_uri: json.request_uri })}`;
    const browsers = [new Visitor(server.base), new Visitor(server.base)] as const;
    const seen: Seen[] = [];
    for (const browser of [browsers[0], ...browsers]) {
      const page = await browser.follow(url);
      assert(page.text.includes('name="password"'), page.text);
      seen.push(page);
    }
    // A person may take longer to sign in than the request_uri is good for.
    clock.advance(300);
    const ends = await Promise.all(
      browsers.map((browser, at) =>
        browser.send(formWith(seen[at + 1] ?? assert.fail(), 'password'), { username: 'alice', password: PASSWORD }),
      ),
    );
    const completed = ends.filter(({ location }) => location?.startsWith(CALLBACK));
    assert.equal(completed.length, 1);
    const refused = ends.find(end => !completed.includes(end)) ?? assert.fail();
    assert.deepEqual([refused.status, refused.text.includes('invalid_request_uri')], [400, true], refused.text);
    for (const again of [url, refused.url]) assert.equal((await alice.follow(again)).status, 400);
  });

  it('spends its request_uri once where no page is needed, and leaves it to its client and its minute', async () => {
    const urlFor = (clientId: string, requestUri: string) =>
      `${server.at()}/auth?${query({ client_id: clientId, request_uri: requestUri })}`;
    const { request_uri } = (await withStatus(201, push('bank'))).json;
    assert.equal((await alice.follow(urlFor('insurer', request_uri))).status, 400);
    const ends = await Promise.all(Array.from({ length: 10 }, () => alice.follow(urlFor('bank', request_uri))));
    assert.equal(ends.filter(({ location }) => location?.startsWith(CALLBACK)).length, 1);
    const old = (await withStatus(201, push('bank'))).json.request_uri;
    clock.advance(61);
    assert.equal((await alice.follow(urlFor('bank', old))).status, 400);
  });

  it('binds the code to its DPoP key, at /par by a proof or dpop_jkt (section 5.3.2.1)', async () => {
    const { json } = await push('bank', { dpop_jkt: thumbprintOf(DPOP) });
    const seen = await alice.follow(
      `${server.at()}/auth?${query({ client_id: 'bank', request_uri: json.request_uri })}`,
    );
    const { code = '' } = delivered(seen).fields;
    assertRefused(await redeem(code, {}, { dpop: proof(KEY) }), 400, 'invalid_grant');
    assert.equal((await redeem(code)).status, 200);
  });

  it('has no password grant (section 5.3.2.1), also by a certificate', async () => {
    const password = { grant_type: 'password', ...ALICE };
    const answered = await post(
      `${server.at()}/token`,
      { ...password, ...asserted('bank') },
      { headers: { dpop: proof() } },
    );
    assertRefused(answered, 400, 'unauthorized_client');
    assertRefused(
      await withCertificate(own)('/token', { client_id: 'insurer', ...password }),
      400,
      'unauthorized_client',
    );
  });
});

describe('a client with profile: fapi2-message-signing', () => {
  const claims = () => ({
    ...REQUEST,
    prompt: undefined,
    iss: 'signer',
    client_id: 'signer',
    aud: server.at(),
    nbf: clock.now(),
    exp: clock.now() + 60,
    response_mode: 'jwt',
  });
  async function pushed(over: Record<string, unknown> = {}, header: Record<string, unknown> = {}, by = KEY) {
    const body = JSON.parse(JSON.stringify({ ...claims(), ...over }));
    const request = await new SignJWT(body)
      .setProtectedHeader({ alg: by.alg, kid: by.publicJwk.kid, typ: 'oauth-authz-req+jwt', ...header })
      .sign(await importJWK(by.privateKey.export({ format: 'jwk' }), by.alg));
    return post(`${server.at()}/par`, { request, ...asserted('signer') });
  }

  it('signs its requests: audience, type, and a time of at most an hour (Message Signing section 5.3)', async () => {
    assertRefused(await push('signer'), 400, 'invalid_request');
    const wrong: readonly (readonly [Record<string, unknown>, Record<string, unknown>?, SigningPair?])[] = [
      [{ aud: undefined }],
      [{ aud: `${server.at()}/par` }],
      [{ nbf: undefined }],
      [{ nbf: clock.now() - 3601, exp: clock.now() - 1 + 60 }],
      [{ nbf: clock.now() + 61 }],
      [{ exp: undefined }],
      [{ exp: clock.now() + 3601 }],
      [{}, { typ: 'JWT' }],
      [{}, { typ: undefined }],
      [{}, {}, RSA],
    ];
    for (const [over, header, by] of wrong) {
      const answered = await pushed(over, header, by);
      assertRefused(answered, 400, 'invalid_request_object');
    }
    for (const over of [{}, { aud: [server.at(), 'x'] }, { nbf: clock.now() - 3600, exp: clock.now() - 3600 + 3600 }])
      assert.equal((await pushed(over)).status, 201, JSON.stringify(over));
  });

  it('gets signed responses alone (Message Signing section 5.4)', async () => {
    for (const response_mode of [undefined, 'query', 'form_post'])
      assertRefused(await pushed({ response_mode }), 400, 'invalid_request');
    const { json } = await pushed({ prompt: 'none', max_age: 0 });
    const seen = await alice.go(`${server.at()}/auth?${query({ client_id: 'signer', request_uri: json.request_uri })}`);
    const { response } = delivered(seen).fields;
    const { error, iss, aud } = claimsOf(response ?? '');
    assert.deepEqual([error, iss, aud], ['login_required', server.at(), 'signer']);
  });
});

describe('registration with a profile', () => {
  const PATH = '/applications/shop/clients';
  const base = {
    client_id: 'new',
    profile: 'fapi2-security',
    redirect_uris: [CALLBACK],
    jwks: { keys: [publicJwk(KEY)] },
  };

  it('sets what is not named (admin API)', async () => {
    const operator = await anOperatorClient(server);
    const { json } = await withStatus(201, operator.ask('POST', PATH, { ...base, profile: 'fapi2-message-signing' }));
    const set = {
      ...{
        token_endpoint_auth_method: 'private_key_jwt',
        require_pushed_authorization_requests: true,
        require_pkce: true,
      },
      ...{ require_client_authentication: true, refresh_token_rotation: false, dpop_bound_access_tokens: true },
      ...{ id_token_signed_response_alg: 'ES256', authorization_signed_response_alg: 'ES256' },
      ...{ require_signed_request_object: true, introspection_signed_response_alg: 'ES256' },
    };
    for (const [name, value] of Object.entries(set)) assert.deepEqual(json[name], value, name);
    const plain = {
      client_id: 'later',
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: base.jwks,
    };
    assert.equal((await operator.ask('POST', PATH, plain)).status, 201);
    const patched = await operator.ask(
      'PATCH',
      `${PATH}/later`,
      { profile: 'fapi2-security' },
      { 'content-type': 'application/merge-patch+json' },
    );
    assert.deepEqual(
      [patched.status, patched.json.require_pkce, patched.json.dpop_bound_access_tokens],
      [200, true, true],
      patched.text,
    );
    const taken = await operator.ask(
      'PATCH',
      `${PATH}/later`,
      { require_pkce: false },
      { 'content-type': 'application/merge-patch+json' },
    );
    assert.deepEqual([taken.status, taken.json.errors[0].pointer], [400, '/require_pkce'], taken.text);
  });

  const contradictions: Readonly<Record<string, readonly [Record<string, unknown>, string]>> = {
    'a secret (section 5.3.2.1)': [{ token_endpoint_auth_method: 'client_secret_basic' }, 'token_endpoint_auth_method'],
    'no client authentication (section 5.3.2.1)': [
      { token_endpoint_auth_method: 'none' },
      'token_endpoint_auth_method',
    ],
    'a verifier alone (section 5.3.2.1)': [{ require_client_authentication: false }, 'require_client_authentication'],
    'unbound tokens (section 5.3.2.1)': [{ dpop_bound_access_tokens: false }, 'dpop_bound_access_tokens'],
    'the password grant (section 5.3.2.1)': [{ grant_types: ['password'] }, 'grant_types'],
    'the implicit grant (section 5.3.2.2)': [{ grant_types: ['implicit', 'authorization_code'] }, 'grant_types'],
    'tokens through the browser (section 5.3.2.2)': [{ response_types: ['code id_token'] }, 'response_types'],
    'requests that are not pushed (section 5.3.2.2)': [
      { require_pushed_authorization_requests: false },
      'require_pushed_authorization_requests',
    ],
    'no PKCE (section 5.3.2.2)': [{ require_pkce: false }, 'require_pkce'],
    'plain http (section 5.3.2.2)': [{ redirect_uris: ['http://127.0.0.1/cb'] }, 'redirect_uris'],
    'RS256 for ID tokens (section 5.4.1)': [{ id_token_signed_response_alg: 'RS256' }, 'id_token_signed_response_alg'],
    'RS256 for assertions (section 5.4.1)': [
      { token_endpoint_auth_signing_alg: 'RS256' },
      'token_endpoint_auth_signing_alg',
    ],
    'requests without signature (Message Signing section 5.3)': [
      { profile: 'fapi2-message-signing', require_signed_request_object: false },
      'require_signed_request_object',
    ],
    'a profile that is none': [{ profile: 'fapi1' }, 'profile'],
  };
  it('refuses what stands against it, each by its field', async () => {
    const operator = await anOperatorClient(server);
    for (const [what, [over, field]] of Object.entries(contradictions)) {
      const { status, json, text } = await operator.ask('POST', PATH, { ...base, client_id: 'against', ...over });
      assert.equal(status, 400, `${what}: ${text}`);
      assert(
        json.errors.some(({ pointer }: { pointer: string }) => pointer.startsWith(`/${field}`)),
        `${what}: ${text}`,
      );
    }
  });
});

it('a code ends after 60 s (section 5.3.2.1), and works once (section 5.3.2.2)', async () => {
  const code = await aCode('bank');
  assert.equal((await redeem(code)).status, 200);
  assertRefused(await redeem(code), 400, 'invalid_grant');
  const late = await aCode('bank');
  clock.advance(61);
  assertRefused(await redeem(late), 400, 'invalid_grant');
});

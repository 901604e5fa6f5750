import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SignJWT } from 'jose';
import { aSigningPair, type SigningPair } from '../../build/assertion.ts';
import {
  ALICE,
  type Answered,
  aCode,
  aPkcePair,
  assertRefused,
  basic,
  claimsOf,
  get,
  introspect,
  post,
  redeem,
  refresh,
  revoke,
  send,
  token,
  WEB,
} from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { delivered } from '../../build/delivered.ts';
import { aProof, thumbprintOf } from '../../build/dpop.ts';
import { aClient, aPublicClient, CALLBACK } from '../../build/fixture.ts';
import { suiteServer } from '../../build/test-server.ts';
import { type Fields, signIn } from '../../build/visitor.ts';

const KEY = aSigningPair('ES256', 'dpop');
const OTHER_KEY = aSigningPair('ES256', 'another');
const SIGNER = basic('signer', 'web-secret-1');
const JKT = thumbprintOf(KEY);
const PASSWORD_GRANT = { grant_type: 'password', ...ALICE };
const SECRET = 'web-secret-1';
const SPA = { client_id: 'spa', redirect_uri: 'https://spa.example/cb' };
const API = 'https://api.shop.example';
const { verifier, asked: PKCE } = aPkcePair();
const GRACE_SECONDS = 10;

const clock = fixedClock();
const server = suiteServer({
  clock,
  shop: {
    apis: [{ identifier: API, name: 'Orders', scopes: { 'orders:read': 'Read' } }],
    clients: [
      aClient(),
      aClient({ client_id: 'jwt', access_token_format: 'jwt' }),
      aClient({ client_id: 'bound', dpop_bound_access_tokens: true }),
      aClient({ client_id: 'machine', grant_types: ['client_credentials'], scope: 'orders:read' }),
      aClient({ client_id: 'signer', jwks: { keys: [KEY.publicJwk] }, request_object_signing_alg: 'ES256' }),
      aPublicClient({ refresh_token_grace: GRACE_SECONDS }),
      aPublicClient({ client_id: 'bound-spa', dpop_bound_access_tokens: true }),
    ],
  },
});

const at = (endpoint: string) => `${server.at()}/${endpoint}`;
const proof = (key: SigningPair, method: string, url: string, accessToken?: string) =>
  aProof(key, method, url, { now: clock.now(), ...(accessToken === undefined ? {} : { accessToken }) });
/** Of a token request. `key` undefined: without a proof. */
const by = (key: SigningPair | undefined, auth?: string) => ({
  auth,
  headers: key ? { dpop: proof(key, 'POST', at('token')) } : {},
});
const web = (key: SigningPair | undefined) => by(key, WEB);
const userinfo = (accessToken: string, key: SigningPair | 'none' = KEY, scheme = 'DPoP') =>
  get(at('userinfo'), {
    authorization: `${scheme} ${accessToken}`,
    ...(key === 'none' ? {} : { dpop: proof(key, 'GET', at('userinfo'), accessToken) }),
  });
const ok = ({ status, text, json }: Answered) => {
  assert.equal(status, 200, text);
  return json;
};
const MISSING = 'DPoP proof: missing';

const assertBound = async (answered: Answered, key = KEY) => {
  const set = ok(answered);
  assert.equal(set.token_type, 'DPoP');
  const seen = ok(await introspect(server, { token: set.access_token }));
  assert.deepEqual([seen.active, seen.token_type, seen.cnf], [true, 'DPoP', { jkt: thumbprintOf(key) }]);
  return set;
};

describe('DPoP-bound access tokens (RFC 9449 sections 5 to 7)', () => {
  it('come from every grant, opaque or as a JWT with cnf.jkt', async () => {
    const opaque = await assertBound(await token(server, PASSWORD_GRANT, web(KEY)));
    assert.match(opaque.access_token, /^gat_[\w-]{51}~[\w-]{43}$/);
    await assertBound(await refresh(server, opaque.refresh_token, {}, web(OTHER_KEY)), OTHER_KEY);
    await assertBound(await redeem(server, await aCode(server), {}, web(KEY)));
    const jwt = await assertBound(await token(server, PASSWORD_GRANT, by(KEY, basic('jwt', SECRET))));
    assert.deepEqual(claimsOf(jwt.access_token).cnf, { jkt: JKT });
    const machine = { ...by(KEY, basic('machine', SECRET)) };
    const ofClient = ok(await token(server, { grant_type: 'client_credentials' }, machine));
    assert.equal(ofClient.token_type, 'DPoP');
    const seen = await introspect(server, { token: ofClient.access_token }, { auth: basic('machine', SECRET) });
    assert.deepEqual(seen.json.cnf, { jkt: JKT });
  });

  for (const clientId of ['web', 'jwt']) {
    it(`are used at userinfo with a proof by the same key, for the same token: ${clientId}`, async () => {
      const { access_token } = ok(await token(server, PASSWORD_GRANT, by(KEY, basic(clientId, SECRET))));
      assert.equal(ok(await userinfo(access_token)).preferred_username, 'alice');
      const posted = { headers: { dpop: proof(KEY, 'POST', at('userinfo'), access_token) } };
      ok(await post(at('userinfo'), '', { auth: `DPoP ${access_token}`, ...posted }));
      ok(await userinfo(access_token, KEY, 'dpop'));

      const { access_token: other } = ok(await token(server, PASSWORD_GRANT, by(KEY, basic(clientId, SECRET))));
      const used = proof(KEY, 'GET', at('userinfo'), access_token);
      const sent = (held: string, dpop: string) => get(at('userinfo'), { authorization: `DPoP ${held}`, dpop });
      assertRefused(await sent(other, used), 401, 'invalid_dpop_proof', 'DPoP proof: ath');
      const withoutHash = proof(KEY, 'GET', at('userinfo'));
      assertRefused(await sent(access_token, withoutHash), 401, 'invalid_dpop_proof', 'DPoP proof: ath');
      assertRefused(await userinfo(access_token, OTHER_KEY), 401, 'invalid_token');
      const ofToken = proof(KEY, 'POST', at('token'), access_token);
      assertRefused(await sent(access_token, ofToken), 401, 'invalid_dpop_proof', 'DPoP proof: htm');
      ok(await sent(access_token, used));
      assertRefused(await sent(access_token, used), 401, 'invalid_dpop_proof', 'DPoP proof: jti');
    });
  }

  it('are refused with a challenge that names the scheme and its algorithms (section 7.1)', async () => {
    const { access_token } = ok(await token(server, PASSWORD_GRANT, web(KEY)));
    const { access_token: bearer } = ok(await token(server, PASSWORD_GRANT));
    const challenges = {
      'a bound token under Bearer': [await userinfo(access_token, 'none', 'Bearer'), 'invalid_token'],
      'a bound token under Bearer, with a proof': [await userinfo(access_token, KEY, 'Bearer'), 'invalid_token'],
      'an unbound token under DPoP': [await userinfo(bearer), 'invalid_token'],
      'no proof': [await userinfo(access_token, 'none'), 'invalid_dpop_proof'],
      'another key': [await userinfo(access_token, OTHER_KEY), 'invalid_token'],
      'no such token': [await userinfo('gat_x'), 'invalid_token'],
      'a malformed header': [await userinfo('two words'), 'invalid_token'],
    } as const;
    for (const [name, [answered, error]] of Object.entries(challenges)) {
      assertRefused(answered, 401, error);
      const said = answered.headers.get('www-authenticate') ?? '';
      assert.match(said, new RegExp(`^DPoP realm="shop", error="${error}", .*, algs="[^"]*ES256[^"]*"$`), name);
    }
    const none = await get(at('userinfo'));
    assert.equal(none.headers.get('www-authenticate'), 'Bearer realm="shop"', 'row 54 stays as it is');
  });

  it('get a nonce at userinfo, too (section 9)', async () => {
    const { access_token } = ok(await token(server, PASSWORD_GRANT, web(KEY)));
    const asked = (claims: object) =>
      get(at('userinfo'), {
        authorization: `DPoP ${access_token}`,
        dpop: aProof(KEY, 'GET', at('userinfo'), { now: 0, accessToken: access_token, claims: { ...claims } }),
      });
    const answered = await asked({});
    assertRefused(answered, 401, 'use_dpop_nonce');
    assert.match(answered.headers.get('www-authenticate') ?? '', /^DPoP realm="shop", error="use_dpop_nonce"/);
    ok(await asked({ nonce: answered.headers.get('dpop-nonce') }));
  });

  it('can be revoked, and then are inactive', async () => {
    const set = ok(await token(server, PASSWORD_GRANT, web(KEY)));
    await revoke(server, { token: set.access_token });
    assert.deepEqual((await introspect(server, { token: set.access_token })).json, { active: false });
    assertRefused(await userinfo(set.access_token), 401, 'invalid_token');
  });

  it('attack: the key cannot be cut off or replaced in an opaque token', async () => {
    const { access_token } = ok(await token(server, PASSWORD_GRANT, web(KEY)));
    const [bare = ''] = access_token.split('~');
    for (const forged of [bare, `${bare}~`, `${bare}~${thumbprintOf(OTHER_KEY)}`]) {
      assert.deepEqual((await introspect(server, { token: forged })).json, { active: false });
      assertRefused(await userinfo(forged, 'none', 'Bearer'), 401, 'invalid_token');
      assertRefused(await userinfo(forged, OTHER_KEY), 401, 'invalid_token');
    }
  });

  it('are for browsers as well: the preflight allows DPoP, and the page can read DPoP-Nonce', async () => {
    const origin = 'https://spa.example';
    const asked = { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'dpop' };
    const { headers } = await send(at('token'), { method: 'OPTIONS', headers: asked });
    assert.match(headers.get('access-control-allow-headers') ?? '', /\bDPoP\b/);
    const old = aProof(KEY, 'POST', at('token'), { now: 0 });
    const answered = await token(server, PASSWORD_GRANT, { auth: WEB, headers: { origin, dpop: old } });
    assert.match(answered.headers.get('access-control-expose-headers') ?? '', /\bDPoP-Nonce\b/);
    assert.notEqual(answered.headers.get('dpop-nonce'), null);
  });
});

describe('a client with dpop_bound_access_tokens (RFC 9449 section 5.2)', () => {
  it('gets no token without a proof, by any grant, and nothing is spent', async () => {
    const auth = basic('bound', SECRET);
    assertRefused(await token(server, PASSWORD_GRANT, { auth }), 400, 'invalid_dpop_proof', MISSING);
    const code = await aCode(server, { client_id: 'bound' });
    assertRefused(await redeem(server, code, {}, { auth }), 400, 'invalid_dpop_proof', MISSING);
    const set = await assertBound(await redeem(server, code, {}, by(KEY, auth)));
    assertRefused(await refresh(server, set.refresh_token, {}, { auth }), 400, 'invalid_dpop_proof', MISSING);
    await assertBound(await refresh(server, set.refresh_token, {}, by(OTHER_KEY, auth)), OTHER_KEY);
  });

  it('gets none by a PKCE verifier alone either, where only the code names the client', async () => {
    const redirect_uri = SPA.redirect_uri;
    const code = await aCode(server, { client_id: 'bound-spa', redirect_uri, ...PKCE });
    const over = { redirect_uri, code_verifier: verifier };
    assertRefused(await redeem(server, code, over, {}), 400, 'invalid_dpop_proof', MISSING);
    assertRefused(await redeem(server, code.replace(/~$/, ''), over, {}), 400, 'invalid_grant');
    assert.equal(ok(await redeem(server, code, over, by(KEY))).token_type, 'DPoP');
  });

  it('gets none through the browser: the implicit flow cannot bind a token', async () => {
    const asked = (response_type: string) => signIn(server, { client_id: 'bound', response_type, nonce: 'n' });
    assert.equal(delivered(await asked('id_token token')).fields.error, 'unauthorized_client');
    assert.notEqual(delivered(await asked('id_token')).fields.id_token, undefined);
  });
});

describe('the key of an authorization request (RFC 9449 section 10)', () => {
  const redeemed = (code: string, key: SigningPair | undefined) => redeem(server, code, {}, web(key));

  const bound = {
    'dpop_jkt at /auth': () => aCode(server, { dpop_jkt: JKT }),
    'dpop_jkt at /par': () => pushed({ dpop_jkt: JKT }),
    'a proof at /par': () => pushed({}, KEY),
    'a proof at /par, and dpop_jkt without a value': () => pushed({ dpop_jkt: '' }, KEY),
    'both at /par': () => pushed({ dpop_jkt: JKT }, KEY),
  };
  for (const [name, codeOf] of Object.entries(bound)) {
    it(`is the only one that redeems the code, and another attempt spends nothing: ${name}`, async () => {
      const code = await codeOf();
      assertRefused(await redeemed(code, OTHER_KEY), 400, 'invalid_grant');
      assertRefused(await redeemed(code, undefined), 400, 'invalid_dpop_proof', MISSING);
      assertRefused(await redeemed(code.split('~')[0] ?? '', KEY), 400, 'invalid_grant');
      await assertBound(await redeemed(code, KEY));
      assertRefused(await redeemed(code, KEY), 400, 'invalid_grant');
    });
  }

  it('must be the same twice at /par', async () => {
    const answered = await push({ dpop_jkt: thumbprintOf(OTHER_KEY) }, KEY);
    assertRefused(answered, 400, 'invalid_dpop_proof', 'DPoP proof: jwk');
  });

  it('counts inside of a signed request, and not beside it (RFC 9101 section 6.3)', async () => {
    const other = thumbprintOf(OTHER_KEY);
    const cases = [
      { inside: { dpop_jkt: JKT }, beside: {} },
      { inside: { dpop_jkt: JKT }, beside: { dpop_jkt: other } },
      { inside: {}, beside: { dpop_jkt: JKT } },
      { inside: {}, beside: { dpop_jkt: other } },
      { inside: { dpop_jkt: '' }, beside: {} },
    ];
    for (const { inside, beside } of cases) {
      const answered = await pushSigned(inside, beside);
      assert.equal(answered.status, 201, answered.text);
      const code = await aCode(server, { client_id: 'signer', request_uri: answered.json.request_uri });
      assertRefused(await redeem(server, code, {}, by(OTHER_KEY, SIGNER)), 400, 'invalid_grant');
      await assertBound(await redeem(server, code, {}, by(KEY, SIGNER)));
    }
    const differs = await pushSigned({ dpop_jkt: other }, { dpop_jkt: JKT });
    assertRefused(differs, 400, 'invalid_dpop_proof', 'DPoP proof: jwk');
  });

  it('is a thumbprint: 43 characters, once', async () => {
    for (const dpop_jkt of ['x', `${JKT}=`, `${JKT}x`]) {
      assert.equal(delivered(await signIn(server, { dpop_jkt })).fields.error, 'invalid_request');
    }
    assertRefused(await push({ dpop_jkt: 'x' }), 400, 'invalid_request', 'OAuth 2.0 Parameter: dpop_jkt');
  });

  it('a bad proof at /par pushes nothing, and a nonce is demanded there too', async () => {
    const body = new URLSearchParams({ response_type: 'code', redirect_uri: CALLBACK }).toString();
    const asked = (dpop: string) => post(at('par'), body, { auth: WEB, headers: { dpop } });
    assertRefused(await asked(proof(KEY, 'POST', at('token'))), 400, 'invalid_dpop_proof', 'DPoP proof: htu');
    assertRefused(await asked(aProof(KEY, 'POST', at('par'), { now: 0 })), 400, 'use_dpop_nonce');
  });

  const push = (fields: Fields, key?: SigningPair) =>
    post(
      at('par'),
      { response_type: 'code', redirect_uri: CALLBACK, scope: 'openid', ...fields },
      { auth: WEB, headers: key ? { dpop: proof(key, 'POST', at('par')) } : {} },
    );

  async function pushSigned(inside: Fields, beside: Fields): Promise<Answered> {
    const claims = {
      ...{ iss: 'signer', aud: server.at(), client_id: 'signer', exp: clock.now() + 60 },
      ...{ response_type: 'code', redirect_uri: CALLBACK, scope: 'openid' },
      ...inside,
    };
    const request = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', kid: KEY.publicJwk.kid, typ: 'oauth-authz-req+jwt' })
      .sign(KEY.privateKey);
    const headers = { dpop: proof(KEY, 'POST', at('par')) };
    return post(at('par'), { request, ...beside }, { auth: SIGNER, headers });
  }

  const pushed = async (fields: Fields, key?: SigningPair): Promise<string> => {
    const { status, json, text } = await push(fields, key);
    assert.equal(status, 201, text);
    return aCode(server, { request_uri: json.request_uri });
  };
});

describe('refresh tokens and keys (RFC 9449 section 5)', () => {
  const spaSet = async (key: SigningPair | undefined) => {
    const code = await aCode(server, { ...SPA, ...PKCE });
    return ok(await redeem(server, code, { ...SPA, code_verifier: verifier }, by(key)));
  };
  const renew = (refreshToken: string, key: SigningPair | undefined) =>
    refresh(server, refreshToken, { client_id: 'spa' }, by(key));

  it('attack: that of a public client with another key, or without a proof; it stays as it is', async () => {
    const { refresh_token } = await spaSet(KEY);
    assert.match(refresh_token, /^grt_[\w-]{51}~[\w-]{43}$/);
    assertRefused(await renew(refresh_token, OTHER_KEY), 400, 'invalid_grant');
    assertRefused(await renew(refresh_token, undefined), 400, 'invalid_dpop_proof', MISSING);
    assertRefused(await renew(refresh_token.split('~')[0], OTHER_KEY), 400, 'invalid_grant');
    const next = ok(await renew(refresh_token, KEY));
    assert.equal(next.token_type, 'DPoP');
    // The old one is rotated now. Whoever has not the key cannot end the family with it either.
    clock.advance(GRACE_SECONDS + 1);
    assertRefused(await renew(refresh_token, OTHER_KEY), 400, 'invalid_grant');
    ok(await renew(next.refresh_token, KEY));
  });

  it('the retry of a refresh gets the same successor, with the same key only (row 41)', async () => {
    const { refresh_token } = await spaSet(KEY);
    const first = ok(await renew(refresh_token, KEY));
    assertRefused(await renew(refresh_token, OTHER_KEY), 400, 'invalid_grant');
    assertRefused(await renew(refresh_token, undefined), 400, 'invalid_dpop_proof');
    const retried = ok(await renew(refresh_token, KEY));
    assert.equal(retried.refresh_token, first.refresh_token);
    assert.equal(retried.token_type, 'DPoP');
    ok(await renew(first.refresh_token, KEY));
  });

  it('a public client that begins with DPoP at a refresh has bound refresh tokens from then on', async () => {
    const { refresh_token, token_type } = await spaSet(undefined);
    assert.equal(token_type, 'Bearer');
    const first = ok(await renew(refresh_token, KEY));
    assertRefused(await renew(refresh_token, undefined), 400, 'invalid_grant');
    assertRefused(await renew(refresh_token, OTHER_KEY), 400, 'invalid_grant');
    assert.equal(ok(await renew(refresh_token, KEY)).refresh_token, first.refresh_token);
    assertRefused(await renew(first.refresh_token, OTHER_KEY), 400, 'invalid_grant');
    ok(await renew(first.refresh_token, KEY));
  });

  it('that of a confidential client is bound by its authentication alone', async () => {
    const first = ok(await redeem(server, await aCode(server), {}, web(KEY)));
    const second = await assertBound(await refresh(server, first.refresh_token, {}, web(OTHER_KEY)), OTHER_KEY);
    assert.equal(ok(await refresh(server, second.refresh_token)).token_type, 'Bearer');
    const code = await aCode(server, PKCE);
    const alone = ok(await redeem(server, code, { client_id: 'web', code_verifier: verifier }, by(KEY)));
    await assertBound(await refresh(server, alone.refresh_token, {}, web(OTHER_KEY)), OTHER_KEY);
  });

  it('a bound one can be revoked by its client', async () => {
    const { refresh_token } = await spaSet(KEY);
    await revoke(server, { token: refresh_token, client_id: 'spa' }, {});
    assertRefused(await renew(refresh_token, KEY), 400, 'invalid_grant');
  });
});

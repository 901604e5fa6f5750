import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import * as client from 'openid-client';
import { aPkcePair, basic, claimsOf, introspect, redeem, userinfo } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { assertSentBack, delivered } from '../../build/delivered.ts';
import { aClient, anApplication, CALLBACK } from '../../build/fixture.ts';
import { signedIn } from '../../build/people.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, type Fields, Visitor } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';

const HYBRID = ['code id_token', 'code token', 'code id_token token'] as const;
const PKCE = aPkcePair();
const CHALLENGED = { code_challenge: PKCE.challenge, code_challenge_method: 'S256' };

const hybridClient = (over: Parameters<typeof aClient>[0]) =>
  aClient({ response_types: ['code', ...HYBRID, 'none'], ...over });
const server = suiteServer({
  clock: fixedClock(),
  applications: [
    anApplication({
      clients: [
        hybridClient({}),
        aClient({ client_id: 'plain' }),
        hybridClient({ client_id: 'ecdsa', id_token_signed_response_alg: 'ES256' }),
        hybridClient({ client_id: 'edwards', id_token_signed_response_alg: 'EdDSA' }),
        hybridClient({ client_id: 'pkce', require_pkce: true }),
        hybridClient({ client_id: 'bound', dpop_bound_access_tokens: true }),
        hybridClient({ client_id: 'fragment-only', response_types: ['code id_token'] }),
      ],
    }),
    anApplication({ code: 'strict', strict_oidc: true, clients: [hybridClient({ client_id: 'strict' })] }),
  ],
});
const alice = suitePart(() => signedIn(server));

const ask = (fields: Fields, app?: string) =>
  alice.go(authorizationUrl(server, { nonce: 'n1', scope: 'openid email', prompt: 'none', ...fields }, app));
const leftHalf = (text = '', algorithm = 'sha256') => {
  const digest = createHash(algorithm).update(text).digest();
  return digest.subarray(0, digest.length / 2).toString('base64url');
};

describe('the hybrid flow (OIDC Core section 3.3)', () => {
  for (const [response_type, names] of [
    ['code id_token', ['code', 'id_token', 'iss', 'state']],
    ['code token', ['access_token', 'code', 'expires_in', 'iss', 'scope', 'state', 'token_type']],
    ['code id_token token', ['access_token', 'code', 'expires_in', 'id_token', 'iss', 'scope', 'state', 'token_type']],
  ] as const) {
    it(`${response_type} answers in the fragment with ${names.join(', ')} (3.3.2.5)`, async () => {
      const { place, fields } = delivered(await ask({ response_type }));
      assert.equal(place, 'fragment');
      assert.deepEqual(Object.keys(fields).sort(), [...names].sort());
    });

    it(`${response_type} is the same with its words in another order, and by form_post`, async () => {
      const reversed = response_type.split(' ').reverse().join(' ');
      const { place, fields } = delivered(await ask({ response_type: reversed, response_mode: 'form_post' }));
      assert.equal(place, 'form_post');
      assert.deepEqual(Object.keys(fields).sort(), [...names].sort());
    });

    it(`${response_type} has never an answer in the query, in either dialect`, async () => {
      for (const [client_id, app] of [['web'], ['strict', 'strict']] as const) {
        const seen = await ask({ response_type, response_mode: 'query', client_id }, app);
        const { place, fields } = delivered(seen);
        assert.deepEqual([place, fields.error], ['fragment', 'invalid_request'], String(app));
      }
    });

    it(`${response_type} is unknown to a client that did not ask for it (row 14)`, async () => {
      const { place, fields } = delivered(await ask({ response_type, client_id: 'plain' }));
      assert.deepEqual([place, fields.error], ['query', 'unsupported_response_type']);
    });
  }

  it('the ID token has c_hash of the code and at_hash of the access token (3.3.2.11)', async () => {
    const { fields } = delivered(await ask({ response_type: 'code id_token token' }));
    const claims = claimsOf(fields.id_token ?? '');
    assert.equal(claims.c_hash, leftHalf(fields.code));
    assert.equal(claims.at_hash, leftHalf(fields.access_token));
    assert.equal(claims.nonce, 'n1');
    const alone = claimsOf(delivered(await ask({ response_type: 'code id_token' })).fields.id_token ?? '');
    assert.match(String(alone.c_hash), /^[\w-]{22}$/);
    assert.equal(alone.at_hash, undefined);
    // The code gives an access token, and userinfo tells the rest (5.4).
    assert.equal(alone.email, undefined);
  });

  it('hashes with the function of the signature: SHA-512 for Ed25519', async () => {
    const { fields } = delivered(await ask({ response_type: 'code id_token', client_id: 'edwards' }));
    assert.equal(claimsOf(fields.id_token ?? '').c_hash, leftHalf(fields.code, 'sha512'));
    const second = delivered(await ask({ response_type: 'code id_token', client_id: 'ecdsa' })).fields;
    assert.equal(claimsOf(second.id_token ?? '').c_hash, leftHalf(second.code));
  });

  it('redeems the code as ever: the same user and session, and the same nonce (3.3.3.6)', async () => {
    const { fields } = delivered(await ask({ response_type: 'code id_token token' }));
    const front = claimsOf(fields.id_token ?? '');
    const redeemed = await withStatus(200, redeem(server, fields.code ?? ''));
    const back = claimsOf(redeemed.json.id_token);
    for (const name of ['iss', 'sub', 'aud', 'nonce', 'sid', 'auth_time'])
      assert.deepEqual(back[name], front[name], name);
    assert.equal((await userinfo(server, fields.access_token ?? '')).json.sub, front.sub);
    assert.equal((await introspect(server, { token: fields.access_token ?? '' })).json.active, true);
    assert.equal((await redeem(server, fields.code ?? '')).status, 400);
  });

  it('demands a nonce where an ID token comes through the browser, and none for code token', async () => {
    for (const response_type of ['code id_token', 'code id_token token']) {
      const { fields } = delivered(await ask({ response_type, nonce: undefined }));
      assert.deepEqual([fields.error, fields.error_description], ['invalid_request', 'OAuth 2.0 Parameter: nonce']);
    }
    assert(delivered(await ask({ response_type: 'code token', nonce: undefined })).fields.code);
  });

  it('demands openid where an ID token is asked for', async () => {
    const { place, fields } = delivered(await ask({ response_type: 'code id_token', scope: 'email' }));
    assert.deepEqual([place, fields.error], ['fragment', 'invalid_scope']);
  });

  it('demands the challenge of a client with require_pkce, and the verifier of a code that has one', async () => {
    const without = delivered(await ask({ response_type: 'code id_token', client_id: 'pkce' }));
    assert.deepEqual([without.place, without.fields.error], ['fragment', 'invalid_request']);
    const { fields } = delivered(await ask({ response_type: 'code id_token', client_id: 'pkce', ...CHALLENGED }));
    const auth = basic('pkce', 'web-secret-1');
    assert.equal((await redeem(server, fields.code ?? '', {}, { auth })).status, 400);
    const again = delivered(await ask({ response_type: 'code id_token', client_id: 'pkce', ...CHALLENGED }));
    await withStatus(200, redeem(server, again.fields.code ?? '', { code_verifier: PKCE.verifier }, { auth }));
  });

  it('gives no access token through the browser to a client whose tokens are bound to a key (RFC 9449)', async () => {
    for (const response_type of ['code token', 'code id_token token']) {
      assert.equal(delivered(await ask({ response_type, client_id: 'bound' })).fields.error, 'unauthorized_client');
    }
    assert(delivered(await ask({ response_type: 'code id_token', client_id: 'bound' })).fields.code);
  });

  it('holds a client to its response_types', async () => {
    const only = { client_id: 'fragment-only' };
    assert(delivered(await ask({ response_type: 'code id_token', ...only })).fields.code);
    assert.equal(delivered(await ask({ response_type: 'code', ...only })).fields.error, 'unauthorized_client');
    for (const response_type of ['code token', 'none']) {
      const { fields } = delivered(await ask({ response_type, ...only }));
      assert.equal(fields.error, 'unsupported_response_type', response_type);
    }
  });

  it('openid-client takes it: code id_token, verified with c_hash and nonce', async () => {
    const config = await client.discovery(new URL(server.at()), 'web', 'web-secret-1', undefined, {
      execute: [client.allowInsecureRequests, client.useCodeIdTokenResponseType],
    });
    const nonce = client.randomNonce();
    const url = client.buildAuthorizationUrl(config, {
      ...{ redirect_uri: CALLBACK, scope: 'openid email', state: 'st', nonce, prompt: 'none' },
    });
    assert.equal(url.searchParams.get('response_type'), 'code id_token');
    const { location } = await alice.go(url.href);
    const tokens = await client.authorizationCodeGrant(config, new URL(location ?? ''), {
      expectedNonce: nonce,
      expectedState: 'st',
    });
    assert.equal(tokens.claims()?.nonce, nonce);
  });
});

describe('response_type=none (OAuth 2.0 Multiple Response Types section 4)', () => {
  it('answers in the query with state and iss alone', async () => {
    const { place, fields } = delivered(await ask({ response_type: 'none' }));
    assert.deepEqual([place, fields], ['query', { state: 'st', iss: server.at() }]);
  });

  it('tells a client without a session that nobody is signed in', async () => {
    const stranger = new Visitor(server.base);
    const seen = await stranger.go(authorizationUrl(server, { response_type: 'none', prompt: 'none' }));
    assertSentBack(server, seen, { error: 'login_required', state: 'st' });
  });

  it('is unknown to a client that did not ask for it (row 14)', async () => {
    const { fields } = delivered(await ask({ response_type: 'none', client_id: 'plain' }));
    assert.equal(fields.error, 'unsupported_response_type');
  });
});

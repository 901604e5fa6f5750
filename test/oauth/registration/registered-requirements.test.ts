import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aSigningPair, assertionFor, presenting, type SigningPair } from '../../build/assertion.ts';
import {
  CALLBACK,
  changeRegistration,
  PUBLIC,
  type Registered,
  register,
  registered,
  requestOf,
  sendJson,
  WITH_VERIFIER,
} from '../../build/assistant.ts';
import { anAuthenticator, TOTP_SECRET } from '../../build/authenticator.ts';
import { assertRefused, claimsOf, get, post, redeem, refresh } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { assertPage, delivered } from '../../build/delivered.ts';
import { openDocumentServer } from '../../build/document-server.ts';
import { aProof } from '../../build/dpop.ts';
import { aUser } from '../../build/fixture.ts';
import { elsewhere } from '../../build/limits.ts';
import { atConsent, logIn, press } from '../../build/people.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { type Fields, formWith, query, type Seen, Visitor } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';

/**
 * What a client registers about its own security holds, whichever way it came (modern contract: "has its registration metadata under
 * the name its RFC gives it, in the apply file, the admin API and dynamic registration alike").
 */
const clock = fixedClock();
const authenticator = anAuthenticator(clock);
const RSA = aSigningPair('RS256');
const EC = aSigningPair('ES256');
const KEY = aSigningPair('ES256', 'of the proofs');
const OTHER_KEY = aSigningPair('ES256', 'of other proofs');
const SIGNS = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [RSA.publicJwk, EC.publicJwk] } };

const documents = suitePart(openDocumentServer);
const server = suiteServer({
  clock,
  env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1', TRUSTED_PROXIES: '127.0.0.1' },
  shop: { mfa: 'off', dynamic_registration: 'open', client_id_metadata: 'any' },
  users: [aUser({ totp_secret: TOTP_SECRET })],
});

const made = (metadata: object) =>
  registered(server, { ...PUBLIC, grant_types: ['authorization_code', 'refresh_token'], ...metadata });

let published = 0;
const ways = {
  'dynamic registration': async (metadata: object) => (await made(metadata)).client_id,
  'a metadata document': async (metadata: object) => documents.publish(`/client-${++published}`, { ...metadata }),
};

const authUrl = (fields: Fields) => `${server.at()}/auth?${query(fields)}`;

/** Signs in where the login page is shown; returns the next page. */
async function visit(fields: Fields, visitor = new Visitor(server.base)): Promise<Seen> {
  const seen = await visitor.follow(authUrl(fields), { headers: elsewhere() });
  return seen.text.includes('name="password"') ? logIn(visitor, seen) : seen;
}

async function codeOf(fields: Fields): Promise<string> {
  const visitor = new Visitor(server.base);
  const page = await visit(fields, visitor);
  assert(atConsent(page), page.text);
  return delivered(await press(visitor, page, 'allow'), CALLBACK).fields.code ?? '';
}
const exchanging = (clientId: string): Fields => ({
  client_id: clientId,
  ...WITH_VERIFIER,
});
const withProof = (pair: SigningPair) => ({
  headers: { dpop: aProof(pair, 'POST', `${server.at()}/token`, { now: clock.now() }) },
});

for (const [way, make] of Object.entries(ways)) {
  describe(`what a client says of itself by ${way}`, () => {
    it('require_pushed_authorization_requests: a request through the browser is refused, a pushed one is not (RFC 9126 section 6)', async () => {
      const id = await make({ require_pushed_authorization_requests: true });
      const refused = await visit(requestOf(id));
      assertPage(refused);
      assert.match(refused.text, /must push its authorization requests/);
      const pushed = await withStatus(201, post(`${server.at()}/par`, requestOf(id), { headers: elsewhere() }));
      const code = await codeOf({ client_id: id, request_uri: pushed.json.request_uri });
      assert.equal((await redeem(server, code, exchanging(id), {})).status, 200);
    });

    it('dpop_bound_access_tokens: there is no bearer token, neither for a code nor for a refresh token (RFC 9449 section 5.2)', async () => {
      const id = await make({ dpop_bound_access_tokens: true });
      const code = await codeOf(requestOf(id));
      assertRefused(await redeem(server, code, exchanging(id), {}), 400, 'invalid_dpop_proof');
      const set = await redeem(server, code, exchanging(id), withProof(KEY));
      assert.deepEqual([set.status, set.json.token_type], [200, 'DPoP'], set.text);
      const next = (sending: object) => refresh(server, set.json.refresh_token, { client_id: id }, sending);
      assertRefused(await next({}), 400, 'invalid_dpop_proof');
      assert.equal((await next(withProof(OTHER_KEY))).status, 400, 'the refresh token of a public client is bound');
      const { access_token, token_type } = (await next(withProof(KEY))).json;
      assert.equal(token_type, 'DPoP');
      const url = `${server.at()}/userinfo`;
      assert.equal((await get(url, { authorization: `Bearer ${access_token}` })).status, 401);
      const dpop = aProof(KEY, 'GET', url, { now: clock.now(), accessToken: access_token });
      assert.equal((await get(url, { authorization: `DPoP ${access_token}`, dpop })).status, 200);
    });

    it('token_endpoint_auth_signing_alg: an assertion by another of its keys is refused (OpenID Connect Registration section 2)', async () => {
      const id = await make({ ...SIGNS, token_endpoint_auth_signing_alg: 'ES256' });
      const by = (pair: SigningPair) => presenting(assertionFor(server, pair, { clientId: id, now: clock.now() }));
      const code = await codeOf(requestOf(id));
      assertRefused(await redeem(server, code, { ...exchanging(id), ...by(RSA) }, {}), 401, 'invalid_client');
      assert.equal((await redeem(server, code, { ...exchanging(id), ...by(EC) }, {})).status, 200);
      const free = await make(SIGNS);
      const any = presenting(assertionFor(server, RSA, { clientId: free, now: clock.now() }));
      assert.equal(
        (await redeem(server, await codeOf(requestOf(free)), { ...exchanging(free), ...any }, {})).status,
        200,
      );
    });

    it('default_acr_values: the user is asked for the second factor where the request says nothing (OpenID Connect Registration section 2)', async () => {
      const id = await make({ default_acr_values: ['2'] });
      const visitor = new Visitor(server.base);
      const asked = await visit(requestOf(id), visitor);
      assert.match(asked.url, /\/login\/totp\?/);
      clock.advance(30);
      const page = await visitor.send(formWith(asked, 'code'), { code: authenticator.code() });
      assert(atConsent(page), page.text);
      const { code = '' } = delivered(await press(visitor, page, 'allow'), CALLBACK).fields;
      const { json } = await redeem(server, code, exchanging(id), {});
      assert.equal(claimsOf(json.id_token).acr, '2');
    });
  });
}

describe('the client configuration endpoint (RFC 7592)', () => {
  const REQUIRED = {
    ...SIGNS,
    require_pushed_authorization_requests: true,
    dpop_bound_access_tokens: true,
    token_endpoint_auth_signing_alg: 'ES256',
    default_acr_values: ['2'],
  };
  const read = async ({ registration_client_uri, registration_access_token: token }: Registered) =>
    (await withStatus(200, sendJson(registration_client_uri, 'GET', undefined, { token }))).json;
  const ofRequired = (json: Record<string, unknown>) =>
    Object.fromEntries(Object.keys(REQUIRED).map(field => [field, json[field]]));

  it('shows what was registered, in the answer to the registration and after it', async () => {
    const client = await made(REQUIRED);
    assert.deepEqual(ofRequired({ ...client }), REQUIRED);
    assert.deepEqual(ofRequired(await read(client)), REQUIRED);
  });

  it('what an update leaves out holds no more, and what it adds does (section 2.2)', async () => {
    const client = await made({ require_pushed_authorization_requests: true });
    const body = { redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none', dpop_bound_access_tokens: true };
    const { json } = await withStatus(200, changeRegistration(client, body));
    assert.equal(json.require_pushed_authorization_requests, false);
    const code = await codeOf(requestOf(client.client_id));
    assertRefused(await redeem(server, code, exchanging(client.client_id), {}), 400, 'invalid_dpop_proof');
    assert.equal((await read(client)).dpop_bound_access_tokens, true);
  });

  it('values that are none of theirs are refused, with the field (RFC 7591 section 3.2.2)', async () => {
    for (const [field, value] of [
      ['require_pushed_authorization_requests', 'yes'],
      ['dpop_bound_access_tokens', 1],
      ['token_endpoint_auth_signing_alg', 'none'],
      ['default_acr_values', '2'],
    ] as const) {
      const refused = await register(server, { redirect_uris: [CALLBACK], ...SIGNS, [field]: value });
      assertRefused(refused, 400, 'invalid_client_metadata');
      assert.match(refused.json.error_description, new RegExp(field));
    }
  });
});

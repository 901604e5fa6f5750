import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { DEVICE_GRANT } from '../../../src/oauth/device/rules.ts';
import { aSigningPair, assertionFor, presenting, type SigningPair } from '../../build/assertion.ts';
import { CALLBACK, requestUrl, WITH_VERIFIER } from '../../build/assistant.ts';
import { type Answered, assertRefused, get, redeem, refresh } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { delivered } from '../../build/delivered.ts';
import { aWaitingDevice, decide, pollFor, theQuestion } from '../../build/device.ts';
import { openDocumentServer } from '../../build/document-server.ts';
import { aProof } from '../../build/dpop.ts';
import { anApplication } from '../../build/fixture.ts';
import { keySetOf } from '../../build/key-server.ts';
import { elsewhere } from '../../build/limits.ts';
import { atConsent, logIn, press } from '../../build/people.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { type Fields, type Seen, Visitor } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';

/** Whoever publishes a document can change it at any time: between the request, the consent page, the code and the tokens. */
const CHANGED = 'https://evil.example/cb';
const WIDE = 'openid orders:read orders:write';
const NARROW = 'openid orders:read';
/** How long a document is used, so that a test knows when the next one is read. */
const MAX_AGE = 60;
const clock = fixedClock();
const FIRST = aSigningPair('ES256', 'first');
const SECOND = aSigningPair('ES256', 'second');

const documents = suitePart(openDocumentServer);
const scopes = { 'orders:read': 'Read your orders', 'orders:write': 'Change your orders' };
const apis = [{ identifier: 'https://api.shop.example', name: 'Orders', scopes }];
const client_id_metadata = 'any' as const;
const server = suiteServer({
  clock,
  env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1', TRUSTED_PROXIES: '127.0.0.1' },
  applications: [
    anApplication({ client_id_metadata, apis }),
    anApplication({ code: 'strict', name: 'Strict', client_id_metadata, apis, strict_oidc: true }),
  ],
});
let path = '';
let paths = 0;
beforeEach(() => {
  path = `/changing-${++paths}`;
});
afterEach(() => clock.advance(1));

const urlOf = (clientId: string, fields: Fields = {}, app?: string) =>
  requestUrl(server, clientId, { nonce: 'n', ...fields }, app);

/** What the document says first. */
const publish = (metadata: Record<string, unknown> = {}) =>
  documents.publish(path, metadata, { 'cache-control': `max-age=${MAX_AGE}` });
/** What it says from now on, and the server has to see with the next request. */
function republish(metadata: Record<string, unknown> = {}): void {
  publish(metadata);
  clock.advance(MAX_AGE + 1);
}

async function loginPageOf(clientId: string, visitor: Visitor, fields?: Fields, app?: string): Promise<Seen> {
  return visitor.follow(urlOf(clientId, fields, app), { headers: elsewhere() });
}
async function atPage(metadata: Record<string, unknown> = {}, fields?: Fields) {
  const id = publish(metadata);
  const visitor = new Visitor(server.base);
  const page = await logIn(visitor, await loginPageOf(id, visitor, fields));
  assert(atConsent(page), page.text);
  return { id, visitor, page };
}
async function aCodeOf(metadata: Record<string, unknown> = {}, fields?: Fields) {
  const { id, visitor, page } = await atPage(metadata, fields);
  const { code = '' } = delivered(await press(visitor, page, 'allow'), CALLBACK).fields;
  assert(code);
  return { id, code };
}
const redeemed = (code: string, over: Fields = {}, app?: string, headers: Record<string, string> = {}) => {
  const sent = { ...WITH_VERIFIER, ...over };
  return redeem(server, code, sent, { headers: { ...elsewhere(), ...headers } }, app);
};

describe('a document that changes between two reads: where the answer goes', () => {
  it('a pending request is compared with the newest one: an address that is gone gets no code', async () => {
    const { visitor, page } = await atPage();
    republish({ redirect_uris: [CHANGED] });
    const seen = await withStatus(400, press(visitor, page, 'allow'));
    assert.equal(seen.location, undefined);
  });

  it('after the consent too', async () => {
    const { id, code } = await aCodeOf();
    republish({ redirect_uris: [CHANGED] });
    const stolen = await redeemed(code, { client_id: id, redirect_uri: CHANGED });
    assert.equal(stolen.json.error, 'invalid_grant', 'the code keeps its address');
    assert.equal((await redeemed(code, { client_id: id })).status, 200);
    const again = await get(urlOf(id), elsewhere());
    assert.deepEqual([again.status, again.headers.get('location')], [400, null]);
  });

  it('a document that is gone ends the sign-in, and one that fails for a moment does not while it is fresh', async () => {
    const { id, visitor, page } = await atPage();
    documents.answer(path, { status: 503 });
    assert.equal((await get(urlOf(id), elsewhere())).status, 302);
    clock.advance(MAX_AGE + 1);
    assert.equal((await press(visitor, page, 'allow')).status, 400);
  });

  for (const [what, isNamed] of [
    ['its code is redeemed', true],
    ['a code for an API is redeemed that alone names the client', false],
  ] as const) {
    it(`a document that fails while ${what} spends nothing: the client tries again`, async () => {
      const { id, code } = isNamed ? await aCodeOf() : await aCodeOf({ scope: WIDE }, { scope: WIDE });
      const again = () => redeemed(code, isNamed ? { client_id: id } : {});
      documents.answer(path, { status: 503 });
      clock.advance(MAX_AGE + 1);
      assertRefused(await again(), 401, 'invalid_client');
      publish({ scope: WIDE });
      clock.advance(31);
      await withStatus(200, again());
    });
  }
});

describe('a document that changes between two reads: scopes', () => {
  const GRANTS = ['authorization_code', 'refresh_token', DEVICE_GRANT];

  it('the user is asked again if they have become more since the consent page was shown', async () => {
    const id = publish({ scope: WIDE });
    const visitor = new Visitor(server.base);
    const login = await loginPageOf(id, visitor, { scope: WIDE }, 'strict');
    republish({ scope: NARROW });
    const page = await logIn(visitor, login);
    assert(atConsent(page), page.text);
    assert.doesNotMatch(page.text, /Change your orders/);
    republish({ scope: WIDE });
    const again = await press(visitor, page, 'allow');
    assert(atConsent(again), again.text);
    assert.match(again.text, /Change your orders/);
    const { code = '' } = delivered(await press(visitor, again, 'allow'), CALLBACK).fields;
    assert.equal((await redeemed(code, { client_id: id }, 'strict')).status, 200);
  });

  it('and if they have become fewer', async () => {
    const id = publish({ scope: WIDE });
    const visitor = new Visitor(server.base);
    const page = await logIn(visitor, await loginPageOf(id, visitor, { scope: WIDE }, 'strict'));
    assert.match(page.text, /Change your orders/);
    republish({ scope: NARROW });
    const again = await press(visitor, page, 'allow');
    assert(atConsent(again), again.text);
    assert.doesNotMatch(again.text, /Change your orders/);
  });

  it('without strict_oidc there is no code for a scope that the document has lost', async () => {
    const id = publish({ scope: WIDE });
    const visitor = new Visitor(server.base);
    const page = await logIn(visitor, await loginPageOf(id, visitor, { scope: WIDE }));
    republish({ scope: NARROW });
    const seen = await press(visitor, page, 'allow');
    assert.deepEqual([seen.status, seen.location], [400, undefined], seen.text);
  });

  it('a code and its refresh token have what the page has shown, whatever the document says later', async () => {
    const id = publish({ scope: NARROW });
    const visitor = new Visitor(server.base);
    const page = await logIn(visitor, await loginPageOf(id, visitor, { scope: NARROW }));
    const { code = '' } = delivered(await press(visitor, page, 'allow'), CALLBACK).fields;
    republish({ scope: WIDE });
    const { json, text } = await redeemed(code, { client_id: id });
    assert.equal(json.scope, 'orders:read', text);
    const wider = await refresh(server, json.refresh_token, { client_id: id, scope: WIDE }, {});
    assertRefused(wider, 400, 'invalid_scope');
    assert.equal((await refresh(server, json.refresh_token, { client_id: id }, {})).json.scope, 'orders:read');
  });

  it('the page of a device asks again too', async () => {
    const id = publish({ scope: WIDE, grant_types: GRANTS });
    const device = await aWaitingDevice(server, { client_id: id, scope: WIDE });
    republish({ scope: NARROW, grant_types: GRANTS });
    const visitor = new Visitor(server.base);
    const page = await theQuestion(server, device.user_code, visitor);
    assert.doesNotMatch(page.text, /Change your orders/);
    republish({ scope: WIDE, grant_types: GRANTS });
    const again = await press(visitor, page, 'allow');
    assert.match(again.text, /Change your orders/);
    assertRefused(await pollFor(server, device, { client_id: id }), 400, 'authorization_pending');
  });

  it('a device gets no scope that came back after the approval', async () => {
    const id = publish({ scope: WIDE, grant_types: GRANTS });
    const device = await aWaitingDevice(server, { client_id: id, scope: WIDE });
    republish({ scope: NARROW, grant_types: GRANTS });
    await decide(server, device.user_code, 'allow');
    republish({ scope: WIDE, grant_types: GRANTS });
    const { json, text } = await pollFor(server, device, { client_id: id });
    assert.equal(json.scope, 'orders:read', text);
  });
});

describe('a document that changes between two reads: how the client authenticates', () => {
  const signs = ({ publicJwk }: SigningPair) => ({
    token_endpoint_auth_method: 'private_key_jwt',
    jwks: { keys: [publicJwk] },
  });
  const proof = (clientId: string, pair: SigningPair) =>
    presenting(assertionFor(server, pair, { clientId, now: clock.now() }));

  /** As every request without credentials of a client that has some (interface section 7.1). */
  const assertNoCredentials = (answered: Answered) => assertRefused(answered, 401, 'access_denied');

  it('a client that has a key since its code was issued has to show it: the verifier alone spends nothing', async () => {
    const { id, code } = await aCodeOf();
    republish(signs(FIRST));
    assertNoCredentials(await redeemed(code, { client_id: id }));
    assertRefused(await redeemed(code, proof(id, SECOND)), 401, 'invalid_client');
    const set = await withStatus(200, redeemed(code, proof(id, FIRST)));
    assertNoCredentials(await refresh(server, set.json.refresh_token, { client_id: id }, {}));
    assert.equal((await refresh(server, set.json.refresh_token, proof(id, FIRST), {})).status, 200);
  });

  it('attack: not even whoever leaves the client_id out gets tokens by the verifier alone', async () => {
    const { code } = await aCodeOf();
    republish(signs(FIRST));
    assertNoCredentials(await redeemed(code));
  });

  it('a refresh token needs the key that its client has since', async () => {
    const { id, code } = await aCodeOf();
    const { json, text } = await redeemed(code, { client_id: id });
    assert(json.refresh_token, text);
    republish(signs(FIRST));
    assertNoCredentials(await refresh(server, json.refresh_token, { client_id: id }, {}));
    assert.equal((await refresh(server, json.refresh_token, proof(id, FIRST), {})).status, 200);
  });

  it('attack: a document that drops its key does not open the codes that needed it', async () => {
    const { id, code } = await aCodeOf(signs(FIRST));
    republish();
    assertNoCredentials(await redeemed(code, { client_id: id }));
    assertNoCredentials(await redeemed(code));
  });

  it('replaced keys: the old one counts until the document is read again, the new one from then on', async () => {
    const { id, code } = await aCodeOf(signs(FIRST));
    publish(signs(SECOND));
    assertRefused(await redeemed(code, proof(id, SECOND)), 401, 'invalid_client');
    clock.advance(MAX_AGE + 1);
    assertRefused(await redeemed(code, proof(id, FIRST)), 401, 'invalid_client');
    const set = await withStatus(200, redeemed(code, proof(id, SECOND)));
    assertRefused(await refresh(server, set.json.refresh_token, proof(id, FIRST), {}), 401, 'invalid_client');
    assert.equal((await refresh(server, set.json.refresh_token, proof(id, SECOND), {})).status, 200);
  });

  it('a jwks_uri that takes the place of the keys is read, and the keys are gone', async () => {
    const { id, code } = await aCodeOf(signs(FIRST));
    documents.answer(`${path}/keys`, keySetOf(SECOND.publicJwk));
    republish({ token_endpoint_auth_method: 'private_key_jwt', jwks_uri: documents.at(`${path}/keys`) });
    assertRefused(await redeemed(code, proof(id, FIRST)), 401, 'invalid_client');
    clock.advance(10);
    assert.equal((await redeemed(code, proof(id, SECOND))).status, 200);
  });

  it('a client that wants bound tokens since its code was issued gets no bearer token (RFC 9449 section 5.2)', async () => {
    const { id, code } = await aCodeOf();
    const unnamed = await aCodeOf();
    republish({ dpop_bound_access_tokens: true });
    assertRefused(await redeemed(unnamed.code), 400, 'invalid_dpop_proof');
    assertRefused(await redeemed(code, { client_id: id }), 400, 'invalid_dpop_proof');
    const dpop = aProof(FIRST, 'POST', `${server.at()}/token`, { now: clock.now() });
    const set = await redeemed(code, { client_id: id }, undefined, { dpop });
    assert.deepEqual([set.status, set.json.token_type], [200, 'DPoP'], set.text);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DEVICE_GRANT } from '../../../src/oauth/device/rules.ts';
import { aSigningPair, assertionFor, presenting } from '../../build/assertion.ts';
import { CALLBACK, requestOf, requestUrl, signInFor, WITH_VERIFIER } from '../../build/assistant.ts';
import { claimsOf, get, introspect, isActive, post, redeem, refresh, revoke } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { delivered } from '../../build/delivered.ts';
import { aWaitingDevice, pollFor, theQuestion } from '../../build/device.ts';
import { openDocumentServer } from '../../build/document-server.ts';
import { aClient, anApplication } from '../../build/fixture.ts';
import { keySetOf } from '../../build/key-server.ts';
import { elsewhere } from '../../build/limits.ts';
import { atConsent, press, signedIn } from '../../build/people.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { type Fields, query, type Seen, Visitor } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';

const API = 'https://api.shop.example';
const clock = fixedClock();

const documents = suitePart(openDocumentServer);
const server = suiteServer({
  clock,
  env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1', TRUSTED_PROXIES: '127.0.0.1' },
  applications: [
    anApplication({
      client_id_metadata: 'any',
      apis: [{ identifier: API, name: 'Orders', scopes: { 'orders:read': 'Read your orders' } }],
      clients: [aClient(), aClient({ client_id: 'api', apis: [API], grant_types: [] })],
    }),
    anApplication({ code: 'listed', name: 'Listed', client_id_metadata: ['127.0.0.1'] }),
    anApplication({ code: 'closed', name: 'Closed', client_id_metadata: ['client.example', '*.client.example'] }),
    anApplication({ code: 'off', name: 'Off' }),
  ],
});

const ask = (clientId: string, fields: Fields = {}, app?: string) =>
  get(requestUrl(server, clientId, fields, app), elsewhere());
/** Of a client that nobody has approved, a request that fails is answered to the caller (row 66). */
const errorOf = async (clientId: string, fields: Fields) =>
  (await get(requestUrl(server, clientId, fields), { ...elsewhere(), accept: 'application/json' })).json.error;

async function consentPageOf(
  clientId: string,
  fields: Fields = {},
  visitor = new Visitor(server.base),
): Promise<[Visitor, Seen]> {
  return [visitor, await signInFor(server, clientId, fields, visitor)];
}

async function codeFor(clientId: string, fields: Fields = {}): Promise<string> {
  const [visitor, page] = await consentPageOf(clientId, fields);
  assert(atConsent(page), page.text);
  return delivered(await press(visitor, page, 'allow'), fields.redirect_uri ?? CALLBACK).fields.code ?? '';
}

async function openPushed(client_id: string, request_uri: string): Promise<[Visitor, Seen]> {
  const visitor = await signedIn(server);
  return [visitor, await visitor.follow(`${server.at()}/auth?${query({ client_id, request_uri })}`)];
}

const redeemed = (clientId: string, code: string, over: Fields = {}) =>
  redeem(server, code, { client_id: clientId, ...WITH_VERIFIER, ...over }, {});

describe('client ID metadata documents (modern contract; draft-ietf-oauth-client-id-metadata-document)', () => {
  it('a client that nobody has registered gets tokens, refreshes, introspects and revokes them', async () => {
    const id = documents.publish('/whole');
    const set = await withStatus(200, redeemed(id, await codeFor(id)));
    assert.equal(claimsOf(set.json.id_token).aud, id);
    const next = await withStatus(200, refresh(server, set.json.refresh_token, { client_id: id }, {}));
    assert.equal((await introspect(server, { token: next.json.access_token })).json.client_id, id);
    assert.equal((await revoke(server, { token: next.json.refresh_token, client_id: id }, {})).status, 200);
    assert.equal(await isActive(server, next.json.access_token), false);
  });

  it('a device too: the page of the code names the host, and stores the client (RFC 8628)', async () => {
    const id = documents.publish('/device', { grant_types: ['authorization_code', DEVICE_GRANT, 'refresh_token'] });
    const device = await aWaitingDevice(server, { client_id: id });
    const visitor = new Visitor(server.base);
    const page = await theQuestion(server, device.user_code, visitor);
    assert(page.text.includes(`published at ${new URL(id).host}`), page.text);
    assert.equal(await server.services.store.findClient('shop', id), undefined);
    await press(visitor, page, 'allow');
    clock.advance(5);
    const set = await withStatus(200, pollFor(server, device, { client_id: id }));
    assert.equal((await refresh(server, set.json.refresh_token, { client_id: id }, {})).status, 200);
  });

  it('by /par too', async () => {
    const id = documents.publish('/par');
    const pushed = await withStatus(201, post(`${server.at()}/par`, requestOf(id)));
    const [visitor, page] = await openPushed(id, pushed.json.request_uri);
    const { code = '' } = delivered(await press(visitor, page, 'allow'), CALLBACK).fields;
    assert.equal((await redeemed(id, code)).status, 200);
  });

  it('private_key_jwt with the keys of the document: at /par, /token, introspection and revocation', async () => {
    const pair = aSigningPair('ES256');
    const id = documents.publish('/signs', {
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [pair.publicJwk] },
    });
    const proof = () => presenting(assertionFor(server, pair, { clientId: id, now: clock.now() }));
    const code = await codeFor(id);
    assert.equal((await redeemed(id, code)).status, 401, 'the verifier alone is not enough');
    const set = await withStatus(200, redeemed(id, await codeFor(id), proof()));
    assert.equal((await introspect(server, { token: set.json.access_token, ...proof() }, {})).json.active, true);
    assert.equal((await refresh(server, set.json.refresh_token, { client_id: id }, {})).status, 401);
    assert.equal((await revoke(server, { token: set.json.access_token, ...proof() }, {})).status, 200);
    const push = (fields: Fields) =>
      post(`${server.at()}/par`, { ...requestOf(id), ...fields }, { headers: elsewhere() });
    const pushed = await withStatus(201, push(proof()));
    const [visitor, page] = await openPushed(id, pushed.json.request_uri);
    const { code: byPush = '' } = delivered(await press(visitor, page, 'allow'), CALLBACK).fields;
    assert.equal((await redeemed(id, byPush, proof())).status, 200);
    const other = aSigningPair('ES256', 'of somebody else');
    const forged = () => presenting(assertionFor(server, other, { clientId: id, now: clock.now() }));
    assert.equal((await introspect(server, { token: 'x', ...forged() }, {})).status, 401);
    for (const wrong of [{}, forged()]) assert.equal((await push(wrong)).status, 401, JSON.stringify(wrong));
  });

  it('is found by its jwks_uri too', async () => {
    const pair = aSigningPair('ES256');
    documents.answer('/signs-uri/keys', { body: String(keySetOf(pair.publicJwk).body) });
    const id = documents.publish('/signs-uri', {
      token_endpoint_auth_method: 'private_key_jwt',
      jwks_uri: documents.at('/signs-uri/keys'),
    });
    const proof = presenting(assertionFor(server, pair, { clientId: id, now: clock.now() }));
    assert.equal((await redeemed(id, await codeFor(id), proof)).status, 200);
  });

  it('native clients: any port of http://localhost, 127.0.0.1 and [::1] (RFC 8252 section 7.3), and nothing else', async () => {
    const id = documents.publish('/native', {
      redirect_uris: ['http://localhost/callback', 'http://127.0.0.1:1/callback', 'http://[::1]/callback'],
    });
    for (const redirect_uri of [
      'http://localhost:49152/callback',
      'http://127.0.0.1:7/callback',
      'http://[::1]:65535/callback',
    ]) {
      assert.equal((await ask(id, { redirect_uri })).status, 302, redirect_uri);
    }
    for (const redirect_uri of [
      'http://localhost:49152/other',
      'https://localhost:49152/callback',
      'http://localhost.evil.example/callback',
      'http://localhost:1@evil.example/callback',
      CALLBACK,
    ]) {
      const { status, headers } = await ask(id, { redirect_uri });
      assert.deepEqual([status, headers.get('location')], [400, null], redirect_uri);
    }
  });

  it('may request standard scopes and those of the APIs; without a scope it gets openid and those of the resource', async () => {
    const id = documents.publish('/scopes');
    const set = await redeemed(id, await codeFor(id, { scope: 'openid profile email' }));
    assert.equal(set.json.scope, 'openid profile email');
    const api = await redeemed(id, await codeFor(id, { scope: undefined, resource: API }));
    assert.equal(api.json.scope, 'orders:read');
    assert.equal((await introspect(server, { token: api.json.access_token }, { auth: API_AUTH })).json.aud, API);
    const plain = await redeemed(id, await codeFor(id, { scope: undefined }));
    assert.equal(plain.json.scope, 'openid');
    const named = documents.publish('/names-scope', { scope: 'openid email unknown:scope' });
    assert.equal(await errorOf(named, { scope: 'orders:read' }), 'invalid_scope');
  });

  it('must use PKCE, also with a key, and cannot use other flows', async () => {
    const id = documents.publish('/pkce');
    const withoutPkce = { code_challenge: undefined, code_challenge_method: undefined };
    assert.equal(await errorOf(id, withoutPkce), 'invalid_request');
    assert.equal(await errorOf(id, { response_type: 'id_token', nonce: 'n' }), 'unauthorized_client');
    const pair = aSigningPair('ES256');
    const signer = documents.publish('/greedy', {
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [pair.publicJwk] },
      grant_types: ['authorization_code', 'client_credentials', 'password', 'implicit'],
    });
    for (const grant_type of ['client_credentials', 'password']) {
      const proof = presenting(assertionFor(server, pair, { clientId: signer, now: clock.now() }));
      const sent = { grant_type, username: 'alice', password: 'x', scope: 'orders:read', ...proof };
      const { json } = await post(`${server.at()}/token`, sent);
      assert.equal(json.error, 'unauthorized_client', grant_type);
    }
  });

  describe('consent', () => {
    it('is asked for each time, whatever was agreed to before, and names the host and where the answer goes', async () => {
      const id = documents.publish('/consent', { client_name: 'Shop <b>itself</b>', require_consent: false });
      const [visitor, page] = await consentPageOf(id);
      assert(atConsent(page));
      assert.match(page.text, /Shop &lt;b&gt;itself/);
      assert(page.text.includes(`published at ${new URL(id).host}`));
      assert.match(page.text, /sent to assistant\.example/);
      assert(delivered(await press(visitor, page, 'allow'), CALLBACK).fields.code);
      const [, again] = await consentPageOf(id, {}, visitor);
      assert(atConsent(again), 'a remembered consent must not answer');
      const silent = await visitor.go(requestUrl(server, id, { prompt: 'none' }));
      assert.equal(delivered(silent, CALLBACK).fields.error, 'consent_required');
    });

    it('warns of a program on the same device, in the language of the user', async () => {
      const id = documents.publish('/device-program');
      const redirect_uri = 'http://localhost:4321/callback';
      const [visitor, page] = await consentPageOf(id, { redirect_uri });
      assert.match(page.text, /program on this device/);
      const [, chinese] = await consentPageOf(id, { redirect_uri, ui_locales: 'zh' }, visitor);
      assert.match(chinese.text, /本设备上的一个程序/);
    });

    it('the browser loads no logo of the client', async () => {
      const id = documents.publish('/logo', { logo_uri: documents.at('/logo.png') });
      const [, page] = await consentPageOf(id);
      assert.doesNotMatch(page.text, /logo\.png/);
      assert.match(page.headers.get('content-security-policy') ?? '', /img-src 'self' data:/);
    });

    it('a refusal stores no client, and so does a request that nobody answers', async () => {
      const id = documents.publish('/refused');
      const [visitor, page] = await consentPageOf(id);
      assert.equal(delivered(await press(visitor, page, 'deny'), CALLBACK).fields.error, 'access_denied');
      assert.equal(await server.services.store.findClient('shop', id), undefined);
    });

    it('is on the account page by the name of the client, and its withdrawal ends the tokens', async () => {
      const id = documents.publish('/account', { client_name: 'Listed assistant' });
      const set = (await redeemed(id, await codeFor(id))).json;
      const visitor = await signedIn(server);
      const page = await visitor.follow(`${server.base}/account/access`);
      assert.match(page.text, /Listed assistant/);
      const sub = claimsOf(set.id_token).sub;
      await server.services.store.withdrawConsent(sub, 'shop', id, clock.now());
      assert.equal((await refresh(server, set.refresh_token, { client_id: id }, {})).status, 400);
    });
  });

  it('discovery has client_id_metadata_document_supported exactly where it is on', async () => {
    const of = async (app: string) =>
      (await get(`${server.at(app)}/.well-known/openid-configuration`)).json.client_id_metadata_document_supported;
    assert.deepEqual([await of('shop'), await of('listed'), await of('off')], [true, true, undefined]);
  });

  it('an application that allows no host, or others, fetches nothing', async () => {
    const id = documents.publish('/domains');
    for (const app of ['off', 'closed']) {
      const { text } = await withStatus(
        400,
        get(requestUrl(server, id, {}, app), { ...elsewhere(), accept: 'text/html' }),
      );
      assert.match(text, /invalid_client/);
    }
    assert.equal(documents.count('/domains'), 0);
    assert.equal((await ask(id, {}, 'listed')).status, 302);
  });

  it('an application that allows the host no more ends what its clients can do', async () => {
    const id = documents.publish('/narrowed');
    const set = (await redeemed(id, await codeFor(id))).json;
    const shop = await server.services.store.findStoredApplication('shop');
    assert(shop);
    const provision = (client_id_metadata: 'off' | 'any') =>
      server.services.store.provision([
        { kind: 'application', application: { ...shop.application, client_id_metadata } },
      ]);
    await provision('off');
    await server.services.registry.refresh();
    const refused = await refresh(server, set.refresh_token, { client_id: id }, {});
    assert.deepEqual([refused.status, refused.json.error], [401, 'invalid_client']);
    await provision('any');
    await server.services.registry.refresh();
    assert.equal((await refresh(server, set.refresh_token, { client_id: id }, {})).status, 200);
  });
});

const API_AUTH = `Basic ${Buffer.from('api:web-secret-1').toString('base64')}`;

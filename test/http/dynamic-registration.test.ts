import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { unusedClientEvent } from '../../src/events/unused-client.ts';
import { deleteUnusedClients } from '../../src/jobs/unused-clients.ts';
import { TOKEN_EXCHANGE } from '../../src/protocol/token-exchange.ts';
import { readApplyFiles } from '../../src/provisioning/apply-file.ts';
import { exportText } from '../../src/provisioning/export.ts';
import { planChanges } from '../../src/provisioning/plan.ts';
import { aSigningPair, assertionFor, presenting } from '../build/assertion.ts';
import {
  type Answered,
  aPkcePair,
  basic,
  get,
  introspect,
  isActive,
  post,
  redeem,
  refresh,
  send,
} from '../build/client.ts';
import { fixedClock } from '../build/clock.ts';
import { delivered } from '../build/delivered.ts';
import { eventsDuring } from '../build/events.ts';
import { aClient, anApplication } from '../build/fixture.ts';
import { anOperatorClient } from '../build/operator.ts';
import { atConsent, logIn, press } from '../build/people.ts';
import { startTestServer, type TestServer } from '../build/test-server.ts';
import { type Fields, query, Visitor } from '../build/visitor.ts';

const CALLBACK = 'https://assistant.example/cb';
const API = 'https://api.shop.example';
const PUBLIC = { client_name: 'Assistant', redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' };
const clock = fixedClock();
const { verifier, challenge } = aPkcePair();
let server: TestServer;

before(async () => {
  const apis = [{ identifier: API, name: 'Orders', scopes: { 'orders:read': 'Read your orders' } }];
  server = await startTestServer({
    clock,
    env: { TRUSTED_PROXIES: '127.0.0.1' },
    applications: [
      anApplication({ dynamic_registration: 'open', apis, clients: [aClient()] }),
      anApplication({ code: 'partners', name: 'Partners', dynamic_registration: 'token' }),
      anApplication({ code: 'other', name: 'Other', dynamic_registration: 'open' }),
      anApplication({ code: 'off', name: 'Off' }),
    ],
  });
});
after(() => server.close());
afterEach(() => clock.advance(1));

let networks = 0;
const elsewhere = () => ({ 'x-forwarded-for': `10.${++networks >> 8}.${networks & 255}.1` });

interface Registering {
  readonly app?: string;
  readonly token?: string | undefined;
  readonly headers?: Record<string, string>;
}
const bearer = (token: string | undefined) => (token === undefined ? {} : { authorization: `Bearer ${token}` });
const register = (metadata: unknown = PUBLIC, { app, token, headers = elsewhere() }: Registering = {}) =>
  send(`${server.at(app)}/register`, {
    method: 'POST',
    body: JSON.stringify(metadata),
    headers: { 'content-type': 'application/json', ...bearer(token), ...headers },
  });
async function registered(metadata: Record<string, unknown> = PUBLIC, over: Registering = {}) {
  const answered = await register(metadata, over);
  assert.equal(answered.status, 201, answered.text);
  return answered.json;
}
const manage = (uri: string, token: string | undefined, method = 'GET', body?: unknown) =>
  send(uri, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    headers: {
      ...bearer(token),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...elsewhere(),
    },
  });

async function codeFor(clientId: string, fields: Fields = {}, app?: string): Promise<string> {
  const visitor = new Visitor(server.base);
  const request = {
    ...{ client_id: clientId, response_type: 'code', redirect_uri: CALLBACK, scope: 'openid' },
    ...{ code_challenge: challenge, code_challenge_method: 'S256', ...fields },
  };
  const page = await logIn(visitor, await visitor.follow(`${server.at(app)}/auth?${query(request)}`));
  assert(atConsent(page), page.text);
  return delivered(await press(visitor, page, 'allow'), CALLBACK).fields.code ?? '';
}
const withVerifier = { redirect_uri: CALLBACK, code_verifier: verifier };

function assertError({ status, json, headers, text }: Answered, error: string, what = text): void {
  assert.deepEqual([status, json.error], [400, error], what);
  assert.match(headers.get('cache-control') ?? '', /no-store/);
}

describe('dynamic registration (modern contract; RFC 7591)', () => {
  it('a public client registers itself and gets tokens, with all that is registered in the answer (section 3.2.1)', async () => {
    const { status, json, headers } = await register({
      ...PUBLIC,
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:unknown'],
      response_types: ['code'],
      scope: 'openid orders:read unknown:scope',
      application_type: 'native',
      software_id: 'ignored',
    });
    assert.equal(status, 201);
    assert.match(headers.get('cache-control') ?? '', /no-store/);
    assert.deepEqual(json, {
      client_id: json.client_id,
      client_id_issued_at: clock.now(),
      registration_access_token: json.registration_access_token,
      registration_client_uri: `${server.at()}/register/${json.client_id}`,
      client_name: 'Assistant',
      redirect_uris: [CALLBACK],
      post_logout_redirect_uris: [],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      scope: 'openid orders:read',
      id_token_signed_response_alg: 'RS256',
      require_pushed_authorization_requests: false,
      dpop_bound_access_tokens: false,
    });
    const set = await redeem(server, await codeFor(json.client_id), { client_id: json.client_id, ...withVerifier }, {});
    assert.equal(set.status, 200, set.text);
    assert.equal((await refresh(server, set.json.refresh_token, { client_id: json.client_id }, {})).status, 200);
  });

  it('a client with a secret gets it once; it is stored as a hash, and the token of the registration too', async () => {
    const json = await registered({ redirect_uris: [CALLBACK] });
    assert.equal(json.token_endpoint_auth_method, 'client_secret_basic');
    assert.equal(json.client_secret_expires_at, 0);
    assert.deepEqual(json.grant_types, ['authorization_code'], 'the default of RFC 7591');
    const auth = basic(json.client_id, json.client_secret);
    const code = await codeFor(json.client_id);
    assert.equal((await redeem(server, code, { ...withVerifier }, {})).status, 401, 'the verifier alone is not enough');
    assert.equal((await redeem(server, code, withVerifier, { auth })).status, 200);
    const client = await server.services.store.findClient('shop', json.client_id);
    const registration = await server.services.store.findRegistration('shop', json.client_id);
    const stored = JSON.stringify([client, Buffer.from(registration?.tokenHash ?? []).toString('latin1')]);
    for (const secret of [json.client_secret, json.registration_access_token]) assert(!stored.includes(secret));
    assert.doesNotMatch(server.logged(), new RegExp(`${json.client_secret}|${json.registration_access_token}`));
  });

  it('private_key_jwt with keys of its own', async () => {
    const pair = aSigningPair('ES256');
    const jwks = { keys: [pair.publicJwk] };
    const json = await registered({ ...PUBLIC, token_endpoint_auth_method: 'private_key_jwt', jwks });
    assert.equal(json.client_secret, undefined);
    const proof = presenting(assertionFor(server, pair, { clientId: json.client_id, now: clock.now() }));
    assert.equal((await introspect(server, { token: 'x', ...proof }, {})).status, 200);
  });

  it('the user is asked each time, and told that nobody has checked who runs the client', async () => {
    const { client_id } = await registered();
    for (const _ of [1, 2]) assert(await codeFor(client_id));
    const visitor = new Visitor(server.base);
    const request = { client_id, response_type: 'code', redirect_uri: CALLBACK, code_challenge: challenge };
    const url = `${server.at()}/auth?${query({ ...request, code_challenge_method: 'S256' })}`;
    const page = await logIn(visitor, await visitor.follow(url));
    assert.match(page.text, /registered itself\. Nobody has checked/);
    assert.match(page.text, /sent to assistant\.example/);
  });

  it('off: there is nothing at the address, and discovery has none', async () => {
    assert.equal((await register(PUBLIC, { app: 'off' })).status, 404);
    assert.equal((await manage(`${server.at('off')}/register/x`, 'y')).status, 404);
    const of = async (app: string) =>
      (await get(`${server.at(app)}/.well-known/openid-configuration`)).json.registration_endpoint;
    assert.deepEqual(
      [await of('off'), await of('shop'), await of('partners')],
      [undefined, `${server.at()}/register`, `${server.at('partners')}/register`],
    );
  });

  it('token: only with an initial access token that an operator has made, until it expires or is deleted', async () => {
    const operator = await anOperatorClient(server, { role: 'operator' });
    const path = '/applications/partners/initial_access_tokens';
    const made = await operator.ask('POST', path, { name: 'partner', expires_at: isoIn(3600) });
    assert.equal(made.status, 201, made.text);
    const { id, initial_access_token: token } = made.json;
    for (const wrong of [undefined, 'wrong', `${token}x`, '']) {
      const refused = await register(PUBLIC, { app: 'partners', token: wrong });
      assert.deepEqual([refused.status, refused.json.error], [401, 'invalid_token']);
      assert.match(refused.headers.get('www-authenticate') ?? '', /^Bearer /);
    }
    assert.equal((await register(PUBLIC, { app: 'shop', token })).status, 401, 'of another application');
    const { client_id } = await registered(PUBLIC, { app: 'partners', token });
    const [event] = await server.services.store.listEvents(
      { types: ['client.created'] },
      { after: undefined, limit: 1 },
    );
    assert.deepEqual(
      [event?.actor, event?.clientId, event?.details],
      [{ kind: 'client', id: client_id }, client_id, { origin: 'dynamic_registration', initial_access_token: id }],
    );
    const listed = await operator.ask('GET', path);
    assert.deepEqual(
      listed.json.items.map(({ name }: { name: string }) => name),
      ['partner'],
    );
    assert(!listed.text.includes(token));
    clock.advance(3601);
    assert.equal((await register(PUBLIC, { app: 'partners', token })).status, 401, 'expired');
    const second = (await operator.ask('POST', path, { name: 'second' })).json;
    assert.equal((await operator.ask('DELETE', `${path}/${second.id}`)).status, 204);
    assert.equal((await register(PUBLIC, { app: 'partners', token: second.initial_access_token })).status, 401);
    const types = ['initial_access_token.created', 'initial_access_token.deleted'] as const;
    assert.equal((await server.services.store.listEvents({ types }, { after: undefined, limit: 9 })).length, 3);
  });

  it('invalid_redirect_uri and invalid_client_metadata name what is wrong (section 3.2.2)', async () => {
    for (const redirect_uris of [
      ['javascript:alert(1)'],
      ['http://assistant.example/cb'],
      ['https://assistant.example/*'],
      [],
      undefined,
      CALLBACK,
    ]) {
      assertError(await register({ ...PUBLIC, redirect_uris }), 'invalid_redirect_uri', JSON.stringify(redirect_uris));
    }
    for (const fields of [
      { token_endpoint_auth_method: 'nonsense' },
      { token_endpoint_auth_method: 'private_key_jwt' },
      { grant_types: ['client_credentials'] },
      { grant_types: [] },
      { grant_types: 'authorization_code' },
      { response_types: ['token'] },
      { client_name: 'a\nb' },
      { client_name: 7 },
      { scope: 'unknown:scope' },
      { jwks: { keys: [{ kty: 'oct', k: 'x' }] } },
      { jwks_uri: 'file:///etc/passwd' },
    ]) {
      assertError(await register({ ...PUBLIC, ...fields }), 'invalid_client_metadata', JSON.stringify(fields));
    }
    for (const body of [[], 'x', 7, null]) assertError(await register(body), 'invalid_redirect_uri');
    const { json } = await register({ ...PUBLIC, grant_types: ['password'] });
    assert.match(json.error_description, /grant_types: must have authorization_code/);
  });

  it('a device that has no browser registers without an address, and gets no code by one (section 2)', async () => {
    const grant_types = ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'];
    const device = { client_name: 'Frame', grant_types, token_endpoint_auth_method: 'none', response_types: [] };
    const { status, json } = await register(device);
    assert.deepEqual([status, json.grant_types], [201, grant_types]);
    const asked = await post(`${server.at()}/device_authorization`, { client_id: json.client_id });
    assert.equal(asked.status, 200, asked.text);
    const redirected = await get(
      `${server.at()}/auth?response_type=code&client_id=${json.client_id}&redirect_uri=${CALLBACK}`,
    );
    assert.equal(redirected.status, 400);
  });

  it('a software statement is refused: no issuer of them is trusted (section 2.3)', async () => {
    const unapproved = await register({ ...PUBLIC, software_statement: 'eyJhbGciOiJSUzI1NiJ9.e30.c2ln' });
    assertError(unapproved, 'unapproved_software_statement');
    for (const software_statement of ['x', 'a.b.', {}, 7]) {
      assertError(await register({ ...PUBLIC, software_statement }), 'invalid_software_statement');
    }
  });

  it('the body is JSON', async () => {
    const { status } = await post(`${server.at()}/register`, { redirect_uris: CALLBACK });
    assert.equal(status, 415);
  });

  it('browsers of every origin can register (CORS), and then use the token endpoint from their own', async () => {
    const origin = 'https://assistant.example';
    const preflight = await send(`${server.at()}/register`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
    });
    assert.equal(preflight.headers.get('access-control-allow-origin'), '*');
    assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /Content-Type/);
    const answered = await register(PUBLIC, { headers: { origin, ...elsewhere() } });
    assert.equal(answered.headers.get('access-control-allow-origin'), '*');
    assert.equal(answered.headers.get('access-control-allow-credentials'), null);
    const token = await post(`${server.at()}/token`, { grant_type: 'x' }, { headers: { origin } });
    assert.equal(token.headers.get('access-control-allow-origin'), origin);
  });
});

describe('a registered client manages itself (RFC 7592)', () => {
  it('reads and replaces its metadata: what is left out gets its default', async () => {
    const json = await registered({ ...PUBLIC, scope: 'openid', default_max_age: 60 });
    const { registration_client_uri: uri, registration_access_token: token, ...own } = json;
    const read = await manage(uri, token);
    assert.deepEqual([read.status, read.json], [200, json]);
    const changed = { client_id: own.client_id, ...PUBLIC, client_name: 'Renamed', redirect_uris: [`${CALLBACK}2`] };
    const replaced = await manage(uri, token, 'PUT', changed);
    assert.equal(replaced.status, 200, replaced.text);
    const { client_name, redirect_uris, default_max_age, client_id, client_id_issued_at } = replaced.json;
    assert.deepEqual(
      { client_name, redirect_uris, default_max_age, client_id, client_id_issued_at },
      {
        ...{ client_name: 'Renamed', redirect_uris: [`${CALLBACK}2`], default_max_age: undefined },
        ...{ client_id: own.client_id, client_id_issued_at: own.client_id_issued_at },
      },
    );
    const request = { client_id, response_type: 'code', redirect_uri: CALLBACK };
    assert.equal((await get(`${server.at()}/auth?${query(request)}`)).status, 400, 'the former address is gone');
    const [event] = await server.services.store.listEvents(
      { types: ['client.updated'] },
      { after: undefined, limit: 1 },
    );
    assert.deepEqual([event?.actor, event?.clientId], [{ kind: 'client', id: client_id }, client_id]);
  });

  it('cannot become another client, nor change how it authenticates', async () => {
    const json = await registered({ redirect_uris: [CALLBACK] });
    const { registration_client_uri: uri, registration_access_token: token, client_id, client_secret } = json;
    const put = (fields: object) => manage(uri, token, 'PUT', { client_id, redirect_uris: [CALLBACK], ...fields });
    for (const fields of [
      { client_id: 'web' },
      { client_id: undefined },
      { client_secret: 'another-secret-1' },
      { token_endpoint_auth_method: 'none' },
    ]) {
      assertError(await put(fields), 'invalid_client_metadata', JSON.stringify(fields));
    }
    assertError(await put({ redirect_uris: ['javascript:1'] }), 'invalid_redirect_uri');
    assert.equal((await put({ client_secret })).status, 200);
    const auth = basic(client_id, client_secret);
    assert.equal((await introspect(server, { token: 'x' }, { auth })).status, 200, 'the secret stays');
  });

  it('deletes itself, with its tokens', async () => {
    const { client_id, ...json } = await registered({
      ...PUBLIC,
      grant_types: ['authorization_code', 'refresh_token'],
    });
    const set = (await redeem(server, await codeFor(client_id), { client_id, ...withVerifier }, {})).json;
    const gone = await manage(json.registration_client_uri, json.registration_access_token, 'DELETE');
    assert.equal(gone.status, 204);
    assert.equal(await isActive(server, set.access_token), false);
    assert.equal((await manage(json.registration_client_uri, json.registration_access_token)).status, 401);
  });

  it('attack: tokens of other clients, of other applications, initial access tokens and none', async () => {
    const mine = await registered();
    const other = await registered();
    const elsewhereApp = await registered(PUBLIC, { app: 'other' });
    const web = `${server.at()}/register/web`;
    for (const [uri, token] of [
      [other.registration_client_uri, mine.registration_access_token],
      [mine.registration_client_uri, undefined],
      [mine.registration_client_uri, 'x'],
      [mine.registration_client_uri, `${mine.registration_access_token}x`],
      [mine.registration_client_uri.replace('/shop/', '/other/'), mine.registration_access_token],
      [elsewhereApp.registration_client_uri.replace('/other/', '/shop/'), elsewhereApp.registration_access_token],
      [web, mine.registration_access_token],
    ] as const) {
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const body = method === 'PUT' ? { ...PUBLIC, client_id: uri.split('/').at(-1) } : undefined;
        const { status, json } = await manage(uri, token, method, body);
        assert.deepEqual([status, json.error], [401, 'invalid_token'], `${method} ${uri}`);
      }
    }
    assert.equal((await manage(other.registration_client_uri, other.registration_access_token)).status, 200);
    assert(await server.services.store.findClient('shop', 'web'));
  });
});

describe('attacks by registration', () => {
  it('mass assignment: fields that only operators set have no effect, at registration and later', async () => {
    const greedy = {
      ...PUBLIC,
      client_id: 'web',
      client_secret: 'chosen-by-the-client',
      origin: null,
      require_consent: false,
      require_pkce: false,
      apis: [API],
      grant_types: ['authorization_code', 'client_credentials', 'password', 'implicit', TOKEN_EXCHANGE],
      token_exchange: [{ from: 'a', to: 'b' }],
      access_token_format: 'jwt',
      refresh_token_rotation: false,
      refresh_token_grace: 120,
      id_token_claims: 'scope',
      backchannel_logout_uri: 'https://victim.example/',
      secret_hash: 'x',
      previous_secrets: [{ hash: 'x', expires_at: 9e9 }],
      __proto__: { require_consent: false },
    };
    const json = await registered(greedy);
    assert.notEqual(json.client_id, 'web');
    const assertModest = async () => {
      const client = await server.services.store.findClient('shop', json.client_id);
      assert(client);
      assert.equal(client.origin, 'dynamic_registration');
      assert.deepEqual(
        [client.require_consent, client.apis, client.grant_types, client.access_token_format, client.secret_hash],
        [true, undefined, ['authorization_code'], 'opaque', undefined],
      );
      assert.deepEqual(
        [client.refresh_token_rotation, client.refresh_token_grace, client.backchannel_logout_uri],
        [true, 10, undefined],
      );
    };
    await assertModest();
    const body = { ...greedy, client_id: json.client_id, client_secret: undefined };
    const replaced = await manage(json.registration_client_uri, json.registration_access_token, 'PUT', body);
    assert.equal(replaced.status, 200, replaced.text);
    await assertModest();
  });

  it('a flood from one network is told to wait; others are not affected', async () => {
    const network = elsewhere();
    const answers = await Promise.all(Array.from({ length: 50 }, () => register(PUBLIC, { headers: network })));
    assert.equal(answers.filter(({ status }) => status === 201).length, 20);
    const refused = answers.find(({ status }) => status === 429);
    assert(Number(refused?.headers.get('retry-after')) > 0);
    assert.equal((await register()).status, 201);
  });

  it('a flood from many networks fills an application up to its limit; what nobody has used makes room, what is used stays', async () => {
    const { store } = server.services;
    const app = 'other';
    const used = await registered(PUBLIC, { app });
    await redeem(
      server,
      await codeFor(used.client_id, {}, app),
      { client_id: used.client_id, ...withVerifier },
      {},
      app,
    );
    const client = await store.findClient(app, used.client_id);
    assert(client);
    const [event] = await store.listEvents({ types: ['client.created'] }, { after: undefined, limit: 1 });
    assert(event);
    const count = async () => (await store.clientsOf(app)).filter(({ origin }) => origin !== undefined).length;
    const maxClients = (await count()) + 3;
    const add = (name: string) => {
      const createdAt = clock.now();
      const registration = { client: { ...client, client_id: name }, tokenHash: Buffer.from(name), createdAt };
      const limits = { maxClients, unusedSince: createdAt - 3600 };
      const deleted = (_: string, id: string) => unusedClientEvent(server.services, app, id);
      return store.registerClient(app, { ...registration, ...limits, event: { ...event, id: `evt_${name}` }, deleted });
    };
    for (const name of ['flood-1', 'flood-2', 'flood-3']) assert.equal(await add(name), 'registered');
    assert.equal(await add('flood-4'), 'full', 'they are new');
    assert.equal(await count(), maxClients);
    clock.advance(3601);
    const version = await store.registryVersion();
    const before = (await store.clientsOf(app)).map(({ client_id }) => client_id);
    const evicted = await eventsDuring(server, 'client.deleted', async () => {
      assert.equal(await add('flood-5'), 'registered');
    });
    const left = new Set((await store.clientsOf(app)).map(({ client_id }) => client_id));
    assert.deepEqual(evicted.map(({ clientId }) => clientId).sort(), before.filter(id => !left.has(id)).sort());
    for (const { actor, details } of evicted) {
      assert.deepEqual([actor.kind, details], ['system', { reason: 'unused' }]);
    }
    assert((await store.registryVersion()) > version, 'every node forgets them');
    assert(await store.findClient(app, used.client_id), 'one that a user has agreed to is not evicted');
    assert.equal(await store.findClient(app, 'flood-1'), undefined);
  });
});

describe('registered clients that nobody uses', () => {
  const clean = () => deleteUnusedClients(server.services, () => false);
  const exists = async (id: string) => (await server.services.store.findClient('shop', id)) !== undefined;

  it('are deleted after 90 days without a user, with an event; those in use and those of operators stay', async () => {
    const grants = { grant_types: ['authorization_code', 'refresh_token'] };
    const unused = (await registered()).client_id;
    const used = (await registered({ ...PUBLIC, ...grants })).client_id;
    let { refresh_token } = (await redeem(server, await codeFor(used), { client_id: used, ...withVerifier }, {})).json;
    for (let days = 0; days < 91; days += 13) {
      clock.advance(13 * 86_400);
      const next = await refresh(server, refresh_token, { client_id: used }, {});
      assert.equal(next.status, 200, next.text);
      refresh_token = next.json.refresh_token;
    }
    await clean();
    assert.deepEqual([await exists(unused), await exists(used), await exists('web')], [false, true, true]);
    const events = await server.services.store.listEvents(
      { types: ['client.deleted'] },
      { after: undefined, limit: 100 },
    );
    const event = events.find(({ clientId }) => clientId === unused);
    assert.deepEqual([event?.actor.kind, event?.details], ['system', { reason: 'unused' }]);
    clock.advance(120 * 86_400);
    await clean();
    assert.equal(await exists(used), false, 'its last token has expired');
  });

  it('are not pruned by an apply file, and are not exported', async () => {
    const { client_id } = await registered();
    const shop = await server.services.store.findStoredApplication('shop');
    const file = JSON.stringify({ applications: [{ ...shop?.application, clients: [aClient({ client_id: 'new' })] }] });
    const read = readApplyFiles([{ name: 'test', text: file }]);
    assert(read.kind === 'valid');
    const { differences } = await planChanges(server.services, read.file, { prune: true, dryRun: true });
    const named = differences.flatMap(({ action, object }) =>
      object.type === 'client' ? [`${action} ${object.client_id}`] : [],
    );
    assert.deepEqual(named, ['delete web', 'create new']);
    let text = '';
    const options = { format: 'yaml', users: false, passwordHashes: false, app: 'shop' } as const;
    for await (const piece of exportText(server.services, options)) text += piece;
    assert.match(text, /client_id: web/);
    assert.match(text, /dynamic_registration: open/);
    assert(!text.includes(client_id));
  });

  it('and one that an operator has taken over by an apply file stays', async () => {
    const taken = (await registered()).client_id;
    const shop = await server.services.store.findStoredApplication('shop');
    await server.provision({
      applications: [
        anApplication({ ...shop?.application, clients: [aClient(), aClient({ client_id: taken })] } as never),
      ],
    });
    clock.advance(91 * 86_400);
    await clean();
    assert.equal(await exists(taken), true);
  });
});

const isoIn = (seconds: number) => new Date((clock.now() + seconds) * 1000).toISOString();

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { basic, claimsOf, get, introspect, redeem, revoke, token, userinfo } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { aClient, aUser } from '../../build/fixture.ts';
import { suiteServer } from '../../build/test-server.ts';
import { withStatus } from '../../build/with-status.ts';

const ORDERS = 'https://api.shop.example';
const STOCK = 'https://stock.shop.example';
const apis = [
  { identifier: ORDERS, name: 'Orders', scopes: { 'orders:read': 'Read orders', 'orders:write': 'Change orders' } },
  { identifier: STOCK, name: 'Stock', scopes: { 'stock:read': 'Read the stock' }, access_token_format: 'jwt' as const },
];
const machine = (client_id: string, scope?: string) =>
  aClient({
    client_id,
    client_secret: `${client_id}-secret-1`,
    redirect_uris: [],
    grant_types: ['client_credentials'],
    ...(scope === undefined ? {} : { scope }),
  });
const as = (id: string) => ({ auth: basic(id, `${id}-secret-1`) });

const clock = fixedClock();
const server = suiteServer({
  clock,
  shop: {
    apis,
    clients: [
      aClient(),
      machine('worker', 'orders:read orders:write'),
      machine('broad', 'orders:read stock:read'),
      machine('plain'),
      machine('doomed', 'orders:read'),
      aClient({ client_id: 'orders-api', client_secret: 'orders-api-secret-1', apis: [ORDERS] }),
    ],
  },
  users: [aUser()],
});

const ask = (id: string, fields: Record<string, string> = {}) =>
  token(server, { grant_type: 'client_credentials', ...fields }, as(id));

describe('client_credentials (RFC 6749 section 4.4; modern contract)', () => {
  it('gives a token for the API of its scope, without refresh token and ID token', async () => {
    const { json } = await withStatus(200, ask('worker'));
    const { access_token, ...rest } = json;
    assert.match(access_token, /^gat_/);
    assert.deepEqual(rest, { expires_in: 3600, token_type: 'Bearer', scope: 'orders:read orders:write' });
  });

  it('introspection says who acts: sub is the client_id, and nothing of a login', async () => {
    const { json } = await ask('worker', { scope: 'orders:read' });
    const seen = (await introspect(server, { token: json.access_token }, as('orders-api'))).json;
    assert.deepEqual(
      { active: seen.active, sub: seen.sub, client_id: seen.client_id, aud: seen.aud, scope: seen.scope },
      { active: true, sub: 'worker', client_id: 'worker', aud: ORDERS, scope: 'orders:read' },
    );
    for (const name of ['auth_time', 'amr', 'acr']) assert.equal(name in seen, false, name);
  });

  it('a JWT says the same (RFC 9068 section 2.2)', async () => {
    const { json } = await ask('broad', { resource: STOCK });
    const { sub, aud, client_id, scope, auth_time, amr } = claimsOf(json.access_token);
    assert.deepEqual([sub, aud, client_id, scope], ['broad', STOCK, 'broad', 'stock:read']);
    assert.deepEqual([auth_time, amr], [undefined, undefined]);
  });

  it('one token is for one API: the resource, the scope, or the first', async () => {
    assert.equal((await ask('broad')).json.scope, 'orders:read');
    assert.equal((await ask('broad', { scope: 'stock:read' })).json.scope, 'stock:read');
    const two = `grant_type=client_credentials&resource=${encodeURIComponent(ORDERS)}&resource=${encodeURIComponent(STOCK)}`;
    const { json } = await token(server, two, as('broad'));
    assert.equal(json.scope, 'orders:read');
    const unknown = `${two}&resource=https%3A%2F%2Felsewhere.example`;
    assert.equal((await token(server, unknown, as('broad'))).json.error, 'invalid_target');
  });

  it('a client without API scopes gets a token without scope', async () => {
    const { json } = await withStatus(200, ask('plain'));
    assert.equal(json.scope, undefined);
    const seen = (await introspect(server, { token: json.access_token }, as('plain'))).json;
    assert.deepEqual(
      [seen.active, 'scope' in seen],
      [true, false],
      'a scope has one token at least (RFC 6749 section 3.3)',
    );
  });

  for (const [what, fields, error] of [
    ['a scope about users', { scope: 'openid' }, 'invalid_scope'],
    ['a scope that it is not registered for', { scope: 'stock:read' }, 'invalid_scope'],
    ['an unknown resource', { resource: 'https://elsewhere.example' }, 'invalid_target'],
    ['an API that it has no scope of', { resource: STOCK }, 'invalid_target'],
  ] as const) {
    it(`refuses ${what}: ${error}`, async () => {
      const { status, json } = await ask('worker', fields);
      assert.deepEqual([status, json.error], [400, error]);
    });
  }

  it('userinfo answers 403: there is no user', async () => {
    const { json } = await ask('plain');
    const { headers } = await withStatus(403, userinfo(server, json.access_token));
    assert.match(headers.get('www-authenticate') ?? '', /error="insufficient_scope"/);
  });

  it('refuses a client that does not list it, wrong credentials, and none at all', async () => {
    const web = basic('web', 'web-secret-1');
    const grant_type = 'client_credentials';
    assert.equal((await token(server, { grant_type }, { auth: web })).json.error, 'unauthorized_client');
    assert.equal((await token(server, { grant_type }, { auth: basic('worker', 'wrong-secret-1') })).status, 401);
    assert.equal((await token(server, { grant_type, client_id: 'worker' }, {})).status, 401);
  });

  it('throttles failures as everywhere (row 33)', async () => {
    const statuses = new Set<number>();
    for (let i = 0; i < 40; i++) {
      const wrong = { auth: basic('broad', `wrong-secret-${i}`) };
      statuses.add((await token(server, { grant_type: 'client_credentials' }, wrong)).status);
    }
    assert(statuses.has(429), [...statuses].join(' '));
    clock.advance(3600);
  });

  it('its token can be revoked, and ends with the client', async () => {
    const { json } = await ask('worker');
    await revoke(server, { token: json.access_token }, as('worker'));
    const active = async (value: string) => (await introspect(server, { token: value }, as('orders-api'))).json.active;
    assert.equal(await active(json.access_token), false);

    const doomed = (await ask('doomed')).json.access_token;
    assert.equal(await active(doomed), true);
    await server.services.store.deleteClient('shop', 'doomed', clock.now());
    assert.equal(await active(doomed), false);
  });

  it('is in discovery', async () => {
    const { json } = await get(`${server.at()}/.well-known/openid-configuration`);
    assert(json.grant_types_supported.includes('client_credentials'));
    assert(json.scopes_supported.includes('orders:read'));
    assert.equal((await redeem(server, 'gac_nothing', {}, as('worker'))).json.error, 'unauthorized_client');
  });
});

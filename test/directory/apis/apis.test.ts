import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aSigningPair } from '../../build/assertion.ts';
import {
  aCode,
  assertRefused,
  basic,
  claimsOf,
  introspect,
  post,
  redeem,
  refresh,
  revoke,
  token,
  userinfo,
  WEB,
} from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { delivered } from '../../build/delivered.ts';
import { aProof } from '../../build/dpop.ts';
import { aClient, anApplication, CALLBACK, PASSWORD } from '../../build/fixture.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, formWith, signIn, Visitor } from '../../build/visitor.ts';

const KEY = aSigningPair('ES256', 'dpop');
const ORDERS = 'https://api.shop.example';
const STOCK = 'https://stock.shop.example/v1';
const FILES = 'urn:shop:files';

const apis = [
  {
    identifier: ORDERS,
    name: 'Orders API',
    scopes: { 'orders:read': 'Read your orders', 'orders:write': 'Change your orders', list: 'List your orders' },
    access_token_format: 'jwt' as const,
    access_token_ttl: 600,
  },
  { identifier: STOCK, name: 'Stock API', scopes: { 'stock:read': 'Read the stock', list: 'List the stock' } },
  { identifier: FILES, name: 'Files API', scopes: { 'files:read': 'Read your files' } },
];
const RESOURCE_SERVER = basic('orders-api', 'orders-api-secret');
const OTHER_SERVER = basic('stock-api', 'stock-api-secret');
const SCOPE = 'openid profile email orders:read orders:write stock:read list';

const shop = (web: object = {}) =>
  anApplication({
    apis,
    clients: [
      aClient({ scope: SCOPE, ...web }),
      aClient({ client_id: 'careful', client_secret: 'careful-secret', scope: SCOPE, require_consent: true }),
      aClient({ client_id: 'orders-api', client_secret: 'orders-api-secret', apis: [ORDERS] }),
      aClient({ client_id: 'stock-api', client_secret: 'stock-api-secret', apis: [STOCK] }),
    ],
  });

const clock = fixedClock();
const server = suiteServer({
  clock,
  applications: [shop(), anApplication({ code: 'plain', name: 'Plain' })],
});

const change = async (web: object) => {
  await server.provision({ applications: [shop(web)] });
  await server.services.registry.refresh();
};
const exchange = async (fields: Record<string, string>, over: Record<string, string> = {}) =>
  redeem(server, await aCode(server, fields), over);

describe('access tokens for an API (modern contract, APIs; RFC 8707)', () => {
  it('have its identifier as audience, its scopes only, its format and its lifetime', async () => {
    const { json } = await exchange({ scope: 'openid orders:read', resource: ORDERS });
    const { aud, scope, exp, iat } = claimsOf(json.access_token);
    assert.deepEqual([aud, scope, exp - iat], [ORDERS, 'orders:read', 600]);
    assert.deepEqual([json.scope, json.expires_in], ['orders:read', 600]);
    assert.equal(claimsOf(json.id_token).aud, 'web', 'the ID token is for the client');
  });

  it('are selected by a scope that belongs to one API', async () => {
    const { json } = await exchange({ scope: 'openid stock:read' });
    assert.match(json.access_token, /^gat_/, 'opaque, as the client has it');
    const seen = (await introspect(server, { token: json.access_token }, { auth: OTHER_SERVER })).json;
    assert.deepEqual([seen.active, seen.aud, seen.scope], [true, STOCK, 'stock:read']);
  });

  it('a scope that several APIs share selects none: invalid_target, unless another scope or a resource says which', async () => {
    const refused = delivered(await signIn(server, { scope: 'openid list' })).fields;
    assert.equal(refused.error, 'invalid_target');
    assert.equal((await exchange({ scope: 'openid list', resource: STOCK })).json.scope, 'list');
    assert.equal((await exchange({ scope: 'list orders:read' })).json.scope, 'list orders:read');
  });

  it('without API scopes a token is for the issuer, as before', async () => {
    const { json } = await exchange({ scope: 'openid profile' });
    const seen = (await introspect(server, { token: json.access_token })).json;
    assert.deepEqual([seen.aud, seen.scope], [server.at(), 'openid profile']);
  });

  for (const [what, fields] of [
    ['an unknown resource', { resource: 'https://elsewhere.example' }],
    ['a trailing slash after a path', { resource: `${STOCK}/` }],
    ['two slashes after an origin', { resource: `${ORDERS}//` }],
    ['another case of the host', { resource: ORDERS.toUpperCase() }],
    ['an API of which the client has no scope', { resource: FILES }],
  ] as const) {
    it(`refuses ${what} at /auth with invalid_target`, async () => {
      const { error, error_description } = delivered(await signIn(server, { scope: 'openid', ...fields })).fields;
      assert.deepEqual([error, error_description], ['invalid_target', 'OAuth 2.0 Parameter: resource']);
    });
  }

  it('refuses a scope of another API than the named one with invalid_scope', async () => {
    const fields = { scope: 'openid stock:read', resource: ORDERS };
    assert.equal(delivered(await signIn(server, fields)).fields.error, 'invalid_scope');
  });

  it('an explicit resource without a scope gets what the client is registered for at that API', async () => {
    const code = delivered(await signIn(server, { scope: undefined, resource: STOCK })).fields.code;
    assert.equal((await redeem(server, code)).json.scope, 'stock:read list');
  });
});

describe('one grant for several APIs (RFC 8707 section 2.2)', () => {
  const both = { scope: 'openid profile orders:read stock:read', resource: ORDERS };
  const url = `resource=${encodeURIComponent(STOCK)}`;

  it('yields tokens for them one at a time by refresh, each with its own scopes', async () => {
    const code = await aCode(server, { scope: 'openid profile orders:read stock:read' });
    const first = (await redeem(server, code, { resource: STOCK })).json;
    assert.equal(first.scope, 'stock:read');
    const second = (await refresh(server, first.refresh_token, { resource: ORDERS })).json;
    assert.deepEqual([second.scope, claimsOf(second.access_token).aud], ['orders:read', ORDERS]);
    const third = (await refresh(server, second.refresh_token, { scope: 'stock:read' })).json;
    assert.equal(third.scope, 'stock:read');
    const own = (await refresh(server, third.refresh_token, { scope: 'openid profile' })).json;
    assert.equal(own.scope, 'openid profile');
    assert.equal((await userinfo(server, own.access_token)).status, 200);
  });

  it('takes several resources in one authorization request', async () => {
    const visitor = new Visitor(server.base);
    const page = await visitor.follow(`${authorizationUrl(server, both)}&${url}`);
    const seen = await visitor.send(formWith(page, 'password'), { username: 'alice', password: PASSWORD });
    const { code } = delivered(seen).fields;
    assert.equal((await redeem(server, code, { resource: STOCK })).json.scope, 'stock:read');
  });

  it('an origin is the same with its slash, as the URL class writes it: at /auth, at /token and at a refresh', async () => {
    const resource = new URL(ORDERS).href;
    assert.notEqual(resource, ORDERS);
    const code = await aCode(server, { scope: 'openid orders:read', resource });
    const first = (await redeem(server, code, { resource })).json;
    assert.deepEqual([first.scope, claimsOf(first.access_token).aud], ['orders:read', ORDERS]);
    const next = (await refresh(server, first.refresh_token, { resource })).json;
    assert.equal(claimsOf(next.access_token).aud, ORDERS);
  });

  it('several resources in one token request: the token is for the first, if the grant covers all', async () => {
    const code = await aCode(server, { scope: 'openid orders:read stock:read' });
    const named = (...resources: string[]) => resources.map(one => `&resource=${encodeURIComponent(one)}`).join('');
    const redeemed = (more: string) =>
      token(server, `grant_type=authorization_code&code=${code}&redirect_uri=${encodeURIComponent(CALLBACK)}${more}`, {
        auth: WEB,
      });
    assert.equal((await redeemed(named(STOCK, FILES))).json.error, 'invalid_target');
    const set = (await redeemed(named(STOCK, ORDERS, STOCK))).json;
    assert.equal(set.scope, 'stock:read');
    const refreshed = `grant_type=refresh_token&refresh_token=${set.refresh_token}${named(ORDERS, STOCK)}`;
    assert.equal((await token(server, refreshed, { auth: WEB })).json.scope, 'orders:read');
  });

  it('a target that the grant does not cover is refused, and the code stays good', async () => {
    const code = await aCode(server, { scope: 'openid orders:read' });
    for (const resource of [STOCK, FILES, 'https://elsewhere.example']) {
      const { status, json } = await redeem(server, code, { resource });
      assert.deepEqual([status, json.error], [400, 'invalid_target'], resource);
    }
    const set = (await redeem(server, code, { resource: ORDERS })).json;
    assert.equal(set.scope, 'orders:read');
    const refused = await refresh(server, set.refresh_token, { resource: STOCK });
    assert.deepEqual([refused.status, refused.json.error], [400, 'invalid_target']);
    assert.equal((await refresh(server, set.refresh_token)).status, 200, 'the refresh token was not rotated');
  });

  it('a grant without an API gets no token for one, and the code stays good', async () => {
    const code = await aCode(server, { scope: 'openid' });
    assert.equal((await redeem(server, code, { resource: ORDERS })).json.error, 'invalid_target');
    assert.equal((await redeem(server, code)).status, 200);
  });

  it('a retry within the grace period gets a token for the API too, and the same refresh token', async () => {
    const set = (await exchange({ scope: 'openid orders:read' })).json;
    const [first, second] = [await refresh(server, set.refresh_token), await refresh(server, set.refresh_token)];
    assert.equal(first.json.refresh_token, second.json.refresh_token);
    for (const { json } of [first, second]) assert.equal(claimsOf(json.access_token).aud, ORDERS);
  });

  it('the password grant takes resource and scope alike', async () => {
    const alice = { grant_type: 'password', username: 'alice', password: PASSWORD };
    const { json } = await token(server, { ...alice, scope: 'openid orders:write' });
    assert.equal(claimsOf(json.access_token).aud, ORDERS);
    assert.equal((await token(server, { ...alice, resource: FILES })).json.error, 'invalid_target');
  });
});

describe('resource in a pushed authorization request (RFC 9126)', () => {
  const push = (resource: string) =>
    post(
      `${server.at()}/par`,
      { response_type: 'code', redirect_uri: CALLBACK, scope: 'openid orders:read', resource },
      { auth: WEB },
    );

  it('is checked when it is pushed, and counts in the grant', async () => {
    const refused = await push('https://elsewhere.example');
    assert.deepEqual([refused.status, refused.json.error], [400, 'invalid_target']);
    const { request_uri } = (await push(ORDERS)).json;
    const visitor = new Visitor(server.base);
    const page = await visitor.follow(
      `${server.at()}/auth?client_id=web&request_uri=${encodeURIComponent(request_uri)}`,
    );
    const seen = await visitor.send(formWith(page, 'password'), { username: 'alice', password: PASSWORD });
    assert.equal(claimsOf((await redeem(server, delivered(seen).fields.code)).json.access_token).aud, ORDERS);
  });
});

describe('an application without APIs', () => {
  it('ignores resource, as every parameter that it does not know (row 17)', async () => {
    const app = 'plain';
    const elsewhere = { resource: 'https://elsewhere.example' };
    const { code } = delivered(await signIn(server, elsewhere, { app })).fields;
    const first = await redeem(server, code, elsewhere, undefined, app);
    assert.deepEqual([first.status, first.json.scope], [200, 'openid profile email phone']);
    const next = await refresh(server, first.json.refresh_token, elsewhere, undefined, app);
    assert.equal((await userinfo(server, next.json.access_token, app)).status, 200);
  });
});

describe('an API that is removed', () => {
  it('leaves its JWTs good until they expire or are revoked, like its opaque tokens', async () => {
    const app = 'leaving';
    const old = { identifier: 'https://old.example', name: 'Old', scopes: { old: 'Read' } };
    const leaving = (api: typeof old & { access_token_format?: 'jwt' | 'opaque' }) =>
      anApplication({ ...{ code: app, name: 'Leaving' }, apis: [api], clients: [aClient({ scope: 'openid old' })] });
    for (const access_token_format of ['jwt', 'opaque'] as const) {
      await server.provision({ applications: [leaving({ ...old, access_token_format })] });
      const { code } = delivered(await signIn(server, { scope: 'openid old' }, { app })).fields;
      const { access_token } = (await redeem(server, code, {}, undefined, app)).json;
      await server.provision({ applications: [leaving({ ...old, identifier: 'https://new.example' })] });
      const active = async () => (await introspect(server, { token: access_token }, undefined, app)).json.active;
      assert.equal(await active(), true, access_token_format);
      assert.equal((await revoke(server, { token: access_token }, undefined, app)).status, 200);
      assert.equal(await active(), false, access_token_format);
    }
  });
});

describe('who sees the token of an API', () => {
  it('introspection by a client that is registered for it, and by the client that holds it; no other', async () => {
    const { json } = await exchange({ scope: 'openid orders:read' });
    const ask = async (auth: string) => (await introspect(server, { token: json.access_token }, { auth })).json.active;
    assert.equal(await ask(RESOURCE_SERVER), true);
    assert.equal(await ask(WEB), true);
    assert.equal(await ask(OTHER_SERVER), false);
  });

  it('userinfo takes none: 403 insufficient_scope', async () => {
    for (const scope of ['openid profile orders:read', 'openid profile stock:read']) {
      const { json } = await exchange({ scope });
      const { status, headers, text } = await userinfo(server, json.access_token);
      assert.equal(status, 403, text);
      assert.match(headers.get('www-authenticate') ?? '', /error="insufficient_scope"/);
    }
  });
});

describe('what an operator takes away', () => {
  it('a refresh gives no scope of an API that the client has lost', async () => {
    const set = (await exchange({ scope: 'openid orders:read orders:write' })).json;
    await change({ scope: SCOPE.replace(' orders:write', '') });
    const narrowed = (await refresh(server, set.refresh_token)).json;
    assert.equal(narrowed.scope, 'orders:read');
    await change({ scope: SCOPE });
  });

  it('an API that demands DPoP gets no bearer tokens (RFC 9449)', async () => {
    const set = (await exchange({ scope: 'openid stock:read' })).json;
    const demand = (require_dpop: boolean) =>
      server.provision({
        applications: [
          { ...shop(), apis: apis.map(api => (api.identifier === STOCK ? { ...api, require_dpop } : api)) },
        ],
      });
    await demand(true);
    await server.services.registry.refresh();
    const implicit = { scope: 'openid stock:read', response_type: 'id_token token', nonce: 'n' };
    assert.equal(delivered(await signIn(server, implicit)).fields.error, 'invalid_target');
    const code = await aCode(server, { scope: 'openid stock:read' });
    for (const answered of [await redeem(server, code), await refresh(server, set.refresh_token)]) {
      assertRefused(answered, 400, 'invalid_dpop_proof', 'DPoP proof: missing');
    }
    const headers = () => ({ dpop: aProof(KEY, 'POST', `${server.at()}/token`, { now: clock.now() }) });
    const bound = (await redeem(server, code, {}, { auth: WEB, headers: headers() })).json;
    assert.deepEqual([bound.token_type, bound.scope], ['DPoP', 'stock:read']);
    const other = await aCode(server, { scope: 'openid orders:read' });
    assert.equal((await redeem(server, other)).json.token_type, 'Bearer', 'the other API takes both');
    await demand(false);
    await server.services.registry.refresh();
    assert.equal((await refresh(server, set.refresh_token)).json.scope, 'stock:read');
  });

  it('the holder of a token for one API sees none for another at introspection', async () => {
    const orders = (await exchange({ scope: 'openid orders:read' })).json.access_token;
    const stock = (await exchange({ scope: 'openid stock:read' })).json.access_token;
    const active = async (held: string, token: string) =>
      (await introspect(server, { token }, { auth: `Bearer ${held}` })).json.active;
    assert.equal(await active(stock, orders), false);
    assert.equal(await active(stock, stock), true);
  });
});

describe('consent to an API', () => {
  const asked = (visitor: Visitor, scope: string, resource?: string) =>
    signIn(server, { client_id: 'careful', scope, resource, prompt: undefined }, { visitor });

  it('shows the API and the text of each scope', async () => {
    const page = await asked(new Visitor(server.base), 'openid orders:read stock:read');
    assert.match(page.text, /<li>Orders API: Read your orders<\/li>/);
    assert.match(page.text, /<li>Stock API: Read the stock<\/li>/);
  });

  it('an API of which no scope is requested is agreed to as well: its audience alone may open it', async () => {
    const visitor = new Visitor(server.base);
    const page = await asked(visitor, 'openid');
    await visitor.send(formWith(page, 'sub'), { action: 'allow' });
    const silent = { client_id: 'careful', scope: 'openid', resource: ORDERS, prompt: 'none' };
    assert.equal(delivered(await signIn(server, silent, { visitor })).fields.error, 'consent_required');
    assert.match((await asked(visitor, 'openid', ORDERS)).text, /<li>Orders API<\/li>/);
  });

  it('a scope that APIs share is agreed to for each of them', async () => {
    const visitor = new Visitor(server.base);
    const page = await asked(visitor, 'openid list', ORDERS);
    const back = await visitor.send(formWith(page, 'sub'), { action: 'allow' });
    assert(delivered(back).fields.code);
    const again = await asked(visitor, 'openid list', STOCK);
    assert.match(again.text, /<li>Stock API: List the stock<\/li>/);
  });
});

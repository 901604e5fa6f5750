import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, describe, it } from 'node:test';
import { DEVICE_GRANT } from '../../../src/oauth/device/rules.ts';
import {
  aCode,
  aPkcePair,
  assertRefused,
  basic,
  claimsOf,
  introspect,
  parameter,
  post,
  redeem,
  refresh,
  token,
  WEB,
} from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { assertSentBack, delivered } from '../../build/delivered.ts';
import { decide, pollFor } from '../../build/device.ts';
import {
  type ApplicationInput,
  aClient,
  anApplication,
  aUser,
  CALLBACK,
  type ClientInput,
} from '../../build/fixture.ts';
import { bob, logIn, press, signedIn } from '../../build/people.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, type Fields, query, signIn, Visitor } from '../../build/visitor.ts';

const ORDERS = 'https://api.shop.example';
const STOCK = 'https://stock.shop.example/v1';
const BOUND = 'urn:shop:bound';
const ELSEWHERE = 'https://elsewhere.example';

const apis: NonNullable<ApplicationInput['apis']> = [
  {
    ...{ identifier: ORDERS, name: 'Orders API', access_token_format: 'jwt', access_token_ttl: 600 },
    scopes: { 'orders:read': 'Read your orders', 'orders:write': 'Change your orders', list: 'List your orders' },
  },
  {
    ...{ identifier: STOCK, name: 'Stock API', access_token_format: 'opaque' },
    scopes: { 'stock:read': 'Read the stock', list: 'List the stock' },
  },
  { identifier: BOUND, name: 'Bound API', scopes: { bound: 'Use it' }, require_dpop: true },
];
const SCOPE = 'openid profile orders:read orders:write stock:read list bound';
const aSecretClient = (client_id: string, over: ClientInput = {}) =>
  aClient({ client_id, client_secret: `${client_id}-secret-1`, scope: SCOPE, ...over });
const as = (clientId: string) => ({ auth: basic(clientId, `${clientId}-secret-1`) });

const shop = (web: ClientInput = {}) =>
  anApplication({
    apis,
    clients: [
      aClient({ scope: SCOPE, ...web }),
      aSecretClient('box', { redirect_uris: [], grant_types: [DEVICE_GRANT, 'refresh_token'] }),
      aSecretClient('signed', { client_name: 'Signed', access_token_format: 'jwt' }),
      aSecretClient('careful', { client_name: 'Careful', require_consent: true }),
      aSecretClient('stock-api', { apis: [STOCK] }),
    ],
  });

const clock = fixedClock();
const server = suiteServer({ clock, applications: [shop()], users: [aUser(), bob()] });

const named = (fields: Fields, ...resources: string[]) =>
  [query(fields), ...resources.map(resource => query({ resource }))].join('&');

describe('several resources in one request (RFC 8707 section 2)', () => {
  const both = { scope: 'openid orders:read stock:read' };
  const push = (...resources: string[]) =>
    post(`${server.at()}/par`, named({ response_type: 'code', redirect_uri: CALLBACK, ...both }, ...resources), {
      auth: WEB,
    });
  const ask = (...resources: string[]) =>
    post(`${server.at()}/device_authorization`, named(both, ...resources), as('box'));

  it('at /par: the grant covers all of them, and its first token is for the first', async () => {
    const { request_uri } = (await push(STOCK, ORDERS)).json;
    const visitor = new Visitor(server.base);
    const page = await visitor.follow(`${server.at()}/auth?${query({ client_id: 'web', request_uri })}`);
    const { code } = delivered(await logIn(visitor, page)).fields;
    const first = (await redeem(server, code)).json;
    assert.equal(first.scope, 'stock:read');
    const second = (await refresh(server, first.refresh_token, { resource: ORDERS })).json;
    assert.deepEqual([second.scope, claimsOf(second.access_token).aud], ['orders:read', ORDERS]);
  });

  it('at /device_authorization: the same', async () => {
    const device = (await ask(STOCK, ORDERS)).json;
    await decide(server, device.user_code, 'allow');
    const first = (await pollFor(server, device, { client_id: undefined }, as('box'))).json;
    assert.equal(first.scope, 'stock:read');
    const second = (await refresh(server, first.refresh_token, { resource: ORDERS }, as('box'))).json;
    assert.deepEqual([second.scope, claimsOf(second.access_token).aud], ['orders:read', ORDERS]);
  });

  it('each of them must be known, and a scope must be of one of them', async () => {
    for (const send of [push, ask]) {
      assertRefused(await send(ORDERS, ELSEWHERE), 400, 'invalid_target', parameter('resource'));
      assertRefused(await send(ELSEWHERE, ORDERS), 400, 'invalid_target', parameter('resource'));
      assertRefused(await send(ORDERS, BOUND), 400, 'invalid_scope');
    }
  });
});

describe('the format of an access token is the one of its API', () => {
  it('opaque also for a client with JWTs, whose tokens for the issuer stay JWTs', async () => {
    const code = await aCode(server, { client_id: 'signed', scope: 'openid stock:read' });
    const { access_token, refresh_token } = (await redeem(server, code, {}, as('signed'))).json;
    assert.match(access_token, /^gat_/);
    const seen = (await introspect(server, { token: access_token }, as('stock-api'))).json;
    assert.deepEqual([seen.active, seen.aud, seen.scope], [true, STOCK, 'stock:read']);
    const own = (await refresh(server, refresh_token, { scope: 'openid' }, as('signed'))).json;
    assert.equal(claimsOf(own.access_token).aud, server.at());
  });
});

describe('the implicit flow with an API (OIDC Core section 3.2)', () => {
  const BOTH = { response_type: 'id_token token', nonce: 'n' };

  it('the access token is for the API, with its scopes, format and lifetime; the ID token is for the client', async () => {
    const { place, fields } = delivered(await signIn(server, { ...BOTH, scope: 'openid orders:read' }));
    assert.deepEqual([place, fields.scope, fields.expires_in], ['fragment', 'orders:read', '600']);
    const { access_token = '', id_token = '' } = fields;
    const { aud, scope, exp, iat } = claimsOf(access_token);
    assert.deepEqual([aud, scope, exp - iat], [ORDERS, 'orders:read', 600]);
    const hash = createHash('sha256').update(access_token).digest().subarray(0, 16).toString('base64url');
    assert.deepEqual([claimsOf(id_token).aud, claimsOf(id_token).at_hash], ['web', hash]);
  });

  it('a resource selects the API of a scope that APIs share', async () => {
    const { fields } = delivered(await signIn(server, { ...BOTH, scope: 'openid list', resource: STOCK }));
    const seen = (await introspect(server, { token: fields.access_token }, as('stock-api'))).json;
    assert.deepEqual([fields.scope, seen.aud, seen.scope], ['list', STOCK, 'list']);
  });

  it('a token without any scope comes without the field (RFC 6749 section 3.3)', async () => {
    const { fields } = delivered(await signIn(server, { ...BOTH, scope: 'openid', resource: ORDERS }));
    assert.deepEqual([claimsOf(fields.access_token ?? '').aud, fields.scope], [ORDERS, undefined]);
  });

  it('an unknown resource is invalid_target, where the tokens would have gone', async () => {
    const seen = await signIn(server, { ...BOTH, scope: 'openid', resource: ELSEWHERE });
    const description = parameter('resource');
    assertSentBack(server, seen, { error: 'invalid_target', description, place: 'fragment' });
  });

  it('an ID token alone is issued also with a scope of an API that takes bound tokens only', async () => {
    const fields = { response_type: 'id_token', nonce: 'n', scope: 'openid bound' };
    assert.equal(claimsOf(delivered(await signIn(server, fields)).fields.id_token ?? '').aud, 'web');
  });
});

describe('what users see of APIs on /account/access', () => {
  const shown = async (visitor: Visitor, clientName: string) => {
    const { text } = await visitor.follow(`${server.base}/account/access`);
    const row = text.split('<li>').find(one => one.includes(`<strong>${clientName}</strong>`)) ?? assert.fail(text);
    const [, scopes = ''] = /class="muted">([^<]*)/.exec(row) ?? [];
    return scopes
      .split(' · ')
      .filter(one => one.includes('API'))
      .sort();
  };
  const STOCK_ONLY = ['Stock API: List the stock', 'Stock API: Read the stock'];

  it('the texts of the scopes that they have agreed to, and of a name that APIs share for that API alone', async () => {
    const visitor = await signedIn(server, 'bob');
    const fields = { client_id: 'careful', scope: 'openid stock:read list', resource: STOCK };
    const page = await visitor.follow(authorizationUrl(server, fields));
    const { code } = delivered(await press(visitor, page, 'allow')).fields;
    assert.deepEqual(await shown(visitor, 'Careful'), STOCK_ONLY);
    assert.equal((await redeem(server, code, {}, as('careful'))).status, 200);
    assert.deepEqual(await shown(visitor, 'Careful'), STOCK_ONLY, 'the grant has what the consent has');
  });

  it('the same of a client that needs no consent, and an API of which it has no scope', async () => {
    const visitor = await signedIn(server, 'bob');
    const fields = { client_id: 'signed', scope: 'openid stock:read list', resource: STOCK };
    const { code } = delivered(await visitor.go(authorizationUrl(server, fields))).fields;
    assert.equal((await redeem(server, code, {}, as('signed'))).status, 200);
    assert.deepEqual(await shown(visitor, 'Signed'), STOCK_ONLY);
    const more = { client_id: 'signed', scope: 'openid', resource: ORDERS };
    const { code: other } = delivered(await visitor.go(authorizationUrl(server, more))).fields;
    assert.equal((await redeem(server, other, {}, as('signed'))).status, 200);
    assert.deepEqual(await shown(visitor, 'Signed'), ['Orders API', ...STOCK_ONLY]);
  });
});

describe('consent to a scope that moves to another API', () => {
  it('is asked for again: the user has agreed to it for the first one alone', async () => {
    const moving = (owner: string) =>
      anApplication({
        apis: [ORDERS, STOCK].map(identifier => ({
          ...{ identifier, name: identifier },
          scopes: identifier === owner ? { move: 'Move it' } : { stay: 'Stay' },
        })),
        ...{ code: 'moving', name: 'Moving', clients: [aClient({ scope: 'openid move', require_consent: true })] },
      });
    await server.provision({ applications: [moving(ORDERS)] });
    const visitor = await signedIn(server);
    const silent = () => visitor.follow(authorizationUrl(server, { scope: 'openid move', prompt: 'none' }, 'moving'));
    const page = await visitor.follow(authorizationUrl(server, { scope: 'openid move' }, 'moving'));
    await press(visitor, page, 'allow');
    assert(delivered(await silent()).fields.code);
    await server.provision({ applications: [moving(STOCK)] });
    assertSentBack(server, await silent(), { error: 'consent_required', app: 'moving' });
  });
});

describe('what a client has lost meanwhile', () => {
  it('a scope of an API that was taken from it after the code is in no token', async () => {
    const code = await aCode(server, { scope: 'openid orders:read orders:write' });
    await server.provision({ applications: [shop({ scope: SCOPE.replace(' orders:write', '') })] });
    const set = (await redeem(server, code)).json;
    assert.deepEqual([set.scope, claimsOf(set.access_token).scope], ['orders:read', 'orders:read']);
    await server.provision({ applications: [shop()] });
    assert.equal((await refresh(server, set.refresh_token)).json.scope, 'orders:read orders:write', 'and comes back');
  });

  it('nor where the code is redeemed by its verifier alone, and nothing but the code names the client (row 34)', async () => {
    const { verifier, challenge } = aPkcePair();
    const asked = {
      scope: 'openid orders:read orders:write',
      code_challenge: challenge,
      code_challenge_method: 'S256',
    };
    const code = await aCode(server, asked);
    await server.provision({ applications: [shop({ scope: SCOPE.replace(' orders:write', '') })] });
    const redeemed = (fields: Fields = {}) => redeem(server, code, { code_verifier: verifier, ...fields }, {});
    assertRefused(await redeemed({ resource: STOCK }), 400, 'invalid_target');
    const set = (await redeemed()).json;
    assert.deepEqual([set.scope, claimsOf(set.access_token).scope], ['orders:read', 'orders:read']);
    assertRefused(await redeemed(), 400, 'invalid_grant');
    assertRefused(await refresh(server, set.refresh_token), 400, 'invalid_grant');
    await server.provision({ applications: [shop()] });
  });

  it('what it demands since then is demanded before a code for an API is spent, whoever names it', async () => {
    const { verifier, challenge } = aPkcePair();
    const code = await aCode(server, {
      scope: 'orders:read',
      code_challenge: challenge,
      code_challenge_method: 'S256',
    });
    await server.provision({ applications: [shop({ require_client_authentication: true })] });
    const redeemed = (sending: { auth?: string }) => redeem(server, code, { code_verifier: verifier }, sending);
    assertRefused(await redeemed({}), 401, 'access_denied');
    assert.equal((await redeemed({ auth: WEB })).json.scope, 'orders:read');
    await server.provision({ applications: [shop()] });
  });

  it('a device keeps the scopes that go with openid: address and offline_access (row 18)', async () => {
    const scope = 'openid address offline_access';
    const device = (await post(`${server.at()}/device_authorization`, { scope }, as('box'))).json;
    await decide(server, device.user_code, 'allow');
    const fields = { grant_type: DEVICE_GRANT, device_code: device.device_code };
    assert.equal((await token(server, fields, as('box'))).json.scope, scope);
  });
});

describe('a scope that an API gets later, under a name that another API of the grant has', () => {
  const scope = 'openid orders:read stock:read';
  const ALSO = { 'orders:read': 'Read what was ordered' };
  const sharing = () => {
    const later = apis.map(api => (api.identifier === STOCK ? { ...api, scopes: { ...api.scopes, ...ALSO } } : api));
    return server.provision({ applications: [{ ...shop(), apis: later }] });
  };
  after(() => server.provision({ applications: [shop()] }));

  it('is in no token of a code or refresh token from before, and the other API keeps its own', async () => {
    await server.provision({ applications: [shop()] });
    const set = (await redeem(server, await aCode(server, { scope }))).json;
    const code = await aCode(server, { scope });
    await sharing();
    const byCode = (await redeem(server, code, { resource: STOCK })).json;
    assert.equal(byCode.scope, 'stock:read');
    for (const refresh_token of [set.refresh_token, byCode.refresh_token]) {
      const atStock = (await refresh(server, refresh_token, { resource: STOCK })).json;
      assert.equal(atStock.scope, 'stock:read');
      assert.equal(
        (await introspect(server, { token: atStock.access_token }, as('stock-api'))).json.scope,
        'stock:read',
      );
      const atOrders = (await refresh(server, atStock.refresh_token, { resource: ORDERS })).json;
      assert.deepEqual([atOrders.scope, claimsOf(atOrders.access_token).scope], ['orders:read', 'orders:read']);
      const byScope = (await refresh(server, atOrders.refresh_token, { scope: 'orders:read' })).json;
      assert.equal(claimsOf(byScope.access_token).aud, ORDERS, 'the name selects the API at which it was granted');
    }
    const anew = await aCode(server, { scope, resource: STOCK });
    assert.equal((await redeem(server, anew)).json.scope, 'orders:read stock:read', 'a grant from after has it');
  });

  it('is not in the token of a device that was approved before', async () => {
    await server.provision({ applications: [shop()] });
    const device = (await post(`${server.at()}/device_authorization`, { scope }, as('box'))).json;
    await decide(server, device.user_code, 'allow');
    await sharing();
    const fields = { grant_type: DEVICE_GRANT, device_code: device.device_code, resource: STOCK };
    assert.equal((await token(server, fields, as('box'))).json.scope, 'stock:read');
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAX_EXCHANGE_DEPTH, TOKEN_EXCHANGE } from '../../../src/oauth/token-exchange/rules.ts';
import { assertRefused, aTokenSet, isActive, parameter, revoke, token } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { aClient, anApplication, aPublicClient, aUser } from '../../build/fixture.ts';
import { suiteServer } from '../../build/test-server.ts';
import {
  ACCESS_TOKEN,
  apis,
  aShop,
  as,
  exchange,
  exchanger,
  forOrders,
  JWT,
  MAIL,
  ORDERS,
  policies,
  STOCK,
} from './token-exchange-fixture.ts';

const clock = fixedClock();
const STAFF = { code: 'staff', name: 'Staff', access: { groups: ['staff'] } };
const bob = (over = {}) =>
  aUser({ username: 'bob', email: 'bob@example.com', phone_number: '+8613800000002', groups: ['staff'], ...over });
const server = suiteServer({
  clock,
  applications: [aShop(), aShop(STAFF), anApplication({ code: 'other', name: 'Other', apis })],
  users: [aUser(), bob()],
});

const SUBJECT = parameter('subject_token');
const refuses = async (answered: Promise<Awaited<ReturnType<typeof exchange>>>, error: string, description: string) =>
  assertRefused(await answered, 400, error, description);

describe('attacks on token exchange (RFC 8693 sections 2.2.2 and 5)', () => {
  for (const [attack, scope, over] of [
    ['a scope that the policy does not name', undefined, { scope: 'stock:read stock:write' }],
    ['a scope that the API does not have', undefined, { scope: 'mail:send' }],
    ['a scope about users', undefined, { scope: 'openid' }],
    ['a scope that the API of the subject token has, and the subject token has not', undefined, { scope: 'list' }],
    ['a malformed scope', undefined, { scope: 'stock:read "x"' }],
    ['an empty scope', undefined, { scope: ' ' }],
  ] as const) {
    it(`widening: ${attack}`, async () => {
      const subject = await forOrders(server, scope);
      await refuses(exchange(server, subject, { resource: STOCK, ...over }), 'invalid_scope', parameter('scope'));
    });
  }

  it('widening in a circle: a scope that the first token lacked does not come back', async () => {
    const subject = await forOrders(server);
    const first = (await exchange(server, subject, { resource: STOCK }, 'loop-api')).json.access_token;
    const back = await exchange(server, first, { resource: ORDERS }, 'loop-api');
    assert.equal(back.json.scope, 'orders:read');
    const wider = exchange(server, first, { resource: ORDERS, scope: 'orders:write' }, 'loop-api');
    await refuses(wider, 'invalid_scope', parameter('scope'));
  });

  for (const [attack, over, name] of [
    ['an API that no policy leads to', { resource: ORDERS }, 'resource'],
    ['an API that no policy leads to, as audience', { audience: ORDERS }, 'audience'],
    ['an unknown API', { resource: 'https://elsewhere.example' }, 'resource'],
    ['a client as audience', { audience: 'stock-api' }, 'audience'],
    ['two APIs', { resource: STOCK, audience: MAIL }, 'resource'],
  ] as const) {
    it(`without a policy: ${attack}`, async () => {
      await refuses(exchange(server, await forOrders(server), over), 'invalid_target', parameter(name));
    });
  }

  it('a chain whose second step has no policy: from, to, third', async () => {
    const first = (await exchange(server, await forOrders(server), { resource: MAIL })).json.access_token;
    const second = exchange(server, first, { resource: STOCK });
    await refuses(second, 'invalid_target', parameter('resource'));
  });

  it('an application without policies exchanges nothing', async () => {
    const own = exchanger('orders-api', [ORDERS]);
    await server.provision({
      shop: { code: 'other', name: 'Other', apis, clients: [aClient({ scope: 'orders:read' }), own] },
    });
    const { access_token } = await aTokenSet(server, { scope: 'orders:read' }, undefined, 'other');
    await refuses(
      exchange(server, access_token, { resource: STOCK }, 'orders-api', 'other'),
      'invalid_target',
      parameter('resource'),
    );
  });

  for (const [attack, subject] of [
    ['an ID token', async () => (await aTokenSet(server, { scope: 'openid' })).id_token],
    ['a refresh token', async () => (await aTokenSet(server)).refresh_token],
    ['nonsense', async () => 'nonsense'],
    [
      'a JWT without a signature',
      async () => {
        const { json } = await exchange(server, await forOrders(server), { resource: MAIL });
        return `${json.access_token.split('.').slice(0, 2).join('.')}.`;
      },
    ],
    [
      'a token of another application',
      async () => forOrders({ ...server, at: () => server.at('staff') }, undefined, { username: 'bob' }),
    ],
    [
      'a token of the issuer, of another client',
      async () => (await aTokenSet(server, { scope: 'openid' })).access_token,
    ],
    [
      'a revoked token',
      async () => {
        const subject = await forOrders(server);
        await revoke(server, { token: subject });
        return subject;
      },
    ],
    [
      'an expired token',
      async () => {
        const subject = await forOrders(server);
        clock.advance(3600);
        return subject;
      },
    ],
  ] as const) {
    for (const type of [ACCESS_TOKEN, JWT]) {
      it(`${attack} as subject token, as ${type.split(':').at(-1)}`, async () => {
        const over = { resource: STOCK, subject_token_type: type };
        await refuses(exchange(server, await subject(), over), 'invalid_request', SUBJECT);
      });
    }
  }

  it('a client that is not registered for the API of the token learns nothing about it', async () => {
    const subject = await forOrders(server);
    for (const stranger of ['stranger', 'stock-api']) {
      await refuses(exchange(server, subject, { resource: STOCK }, stranger), 'invalid_request', SUBJECT);
    }
  });

  it('a client without the grant, and a public client', async () => {
    const subject = await forOrders(server);
    const refused = await exchange(server, subject, { resource: STOCK }, 'no-grant');
    assertRefused(refused, 400, 'unauthorized_client');
    await server.provision({ applications: [aShop({ clients: [...(aShop().clients ?? []), aPublicClient()] })] });
    const fields = { grant_type: TOKEN_EXCHANGE, subject_token: subject, subject_token_type: ACCESS_TOKEN };
    assertRefused(await token(server, { ...fields, client_id: 'spa' }, {}), 401, 'access_denied');
    assertRefused(await token(server, fields, {}), 401, 'access_denied');
  });

  for (const [name, value] of [
    ['subject_token', 'x'],
    ['subject_token_type', ACCESS_TOKEN],
    ['actor_token', 'x'],
    ['actor_token_type', ACCESS_TOKEN],
    ['requested_token_type', ACCESS_TOKEN],
    ['scope', 'list'],
  ] as const) {
    it(`${name} twice`, async () => {
      const body = `grant_type=${encodeURIComponent(TOKEN_EXCHANGE)}&${name}=${value}&${name}=${value}`;
      assertRefused(await token(server, body, as('orders-api')), 400, 'invalid_request', parameter(name));
    });
  }

  for (const [name, over] of [
    ['subject_token', { subject_token: '' }],
    ['subject_token_type', { subject_token_type: '' }],
    ['subject_token_type', { subject_token_type: 'urn:ietf:params:oauth:token-type:id_token' }],
    ['subject_token_type', { subject_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' }],
    ['subject_token_type', { subject_token_type: 'access_token' }],
    ['requested_token_type', { requested_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' }],
    ['actor_token_type', { actor_token: 'x' }],
    ['actor_token_type', { actor_token_type: ACCESS_TOKEN }],
    ['actor_token_type', { actor_token: 'x', actor_token_type: 'nonsense' }],
    ['actor_token', { actor_token: 'x', actor_token_type: ACCESS_TOKEN }],
  ] as const) {
    it(`${JSON.stringify(over)} names the parameter ${name}`, async () => {
      const answered = exchange(server, await forOrders(server), { resource: STOCK, ...over });
      await refuses(answered, 'invalid_request', parameter(name));
    });
  }

  it('an actor token of another client, of a caller, or one that was exchanged', async () => {
    const subject = await forOrders(server);
    const foreign = (await token(server, { grant_type: 'client_credentials' }, as('stock-api'))).json.access_token;
    const own = (await exchange(server, subject, { resource: STOCK })).json.access_token;
    for (const actor_token of [foreign, subject, own]) {
      const over = { resource: STOCK, actor_token, actor_token_type: ACCESS_TOKEN };
      await refuses(exchange(server, subject, over), 'invalid_request', parameter('actor_token'));
    }
  });

  it(`a token is exchanged ${MAX_EXCHANGE_DEPTH} times at most`, async () => {
    let held = await forOrders(server);
    for (let depth = 1; depth <= MAX_EXCHANGE_DEPTH; depth++) {
      const { status, json } = await exchange(server, held, { resource: depth % 2 ? STOCK : ORDERS }, 'loop-api');
      assert.equal(status, 200, JSON.stringify(json));
      held = json.access_token;
    }
    await refuses(exchange(server, held, { resource: ORDERS }, 'loop-api'), 'invalid_request', SUBJECT);
  });

  it('a user who has lost the access to the application (access)', async () => {
    const staff = { ...server, at: () => server.at('staff') };
    const subject = await forOrders(staff, undefined, { username: 'bob' });
    assert.equal((await exchange(staff, subject, { resource: STOCK })).status, 200);
    await server.provision({ users: [bob({ groups: [] })] });
    await refuses(exchange(staff, subject, { resource: STOCK }), 'invalid_request', SUBJECT);
    await server.provision({ users: [bob()] });
    assert.equal(
      (await exchange(staff, subject, { resource: STOCK })).status,
      200,
      'the token itself stayed as it was',
    );
  });

  it('a disabled user, also after being enabled again', async () => {
    const staff = { ...server, at: () => server.at('staff') };
    const subject = await forOrders(staff, undefined, { username: 'bob' });
    const { access_token } = (await exchange(staff, subject, { resource: STOCK })).json;
    await server.provision({ users: [bob({ disabled: true })] });
    await refuses(exchange(staff, subject, { resource: STOCK }), 'invalid_request', SUBJECT);
    assert.equal(await isActive(staff, access_token, as('stock-api')), false);
    await server.provision({ users: [bob({ disabled: false })] });
    await refuses(exchange(staff, subject, { resource: STOCK }), 'invalid_request', SUBJECT);
  });

  it('a client that is registered under the sub of a user does not become this user', async () => {
    const { sub } = (await server.services.store.findAccount('alice')) ?? assert.fail();
    await server.provision({ applications: [aShop({ clients: [...(aShop().clients ?? []), exchanger(sub, [])] })] });
    const own = (await token(server, { grant_type: 'client_credentials' }, as(sub))).json.access_token;
    await refuses(exchange(server, own, { resource: STOCK }), 'invalid_request', SUBJECT);
  });

  it('a policy that is gone gives nothing any more', async () => {
    const subject = await forOrders(server);
    await server.provision({ applications: [aShop({ token_exchange: policies.slice(1) })] });
    await refuses(exchange(server, subject, { resource: STOCK }), 'invalid_target', parameter('resource'));
    await server.provision({ applications: [aShop()] });
  });

  it('an API that takes bound tokens only gets no bearer token', async () => {
    const bound = apis.map(api => (api.identifier === STOCK ? { ...api, require_dpop: true } : api));
    await server.provision({ applications: [aShop({ apis: bound })] });
    const subject = await forOrders(server);
    assertRefused(await exchange(server, subject, { resource: STOCK }), 400, 'invalid_dpop_proof');
    await server.provision({ applications: [aShop()] });
  });

  it('the log and the refusals hold no token', async () => {
    const subject = await forOrders(server);
    await exchange(server, subject, { resource: ORDERS, actor_token: subject, actor_token_type: ACCESS_TOKEN });
    await server.services.refusals.flush();
    assert(!server.logged().includes(subject));
    const refusals = await server.services.store.listRefusals({}, { after: undefined, limit: 200 });
    assert(refusals.length > 0);
    assert(!JSON.stringify(refusals).includes(subject));
  });
});

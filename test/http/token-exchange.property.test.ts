import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { introspect } from '../build/client.ts';
import { fixedClock } from '../build/clock.ts';
import { startTestServer, type TestServer } from '../build/test-server.ts';
import { apis, aShop, as, exchange, exchanger, forOrders } from './token-exchange-fixture.ts';

const CLIENTS = ['first', 'second'];
const IDENTIFIERS = apis.map(({ identifier }) => identifier);
const scopesOf = (identifier: string) => Object.keys(apis.find(api => api.identifier === identifier)?.scopes ?? {});

const policy = fc.constantFrom(...IDENTIFIERS).chain(to => {
  const scopes = scopesOf(to);
  return fc.record({
    from: fc.constantFrom(...IDENTIFIERS, ...CLIENTS),
    to: fc.constant(to),
    scopes: fc.subarray(scopes, { minLength: Math.min(1, scopes.length) }),
  });
});
const policies = fc.uniqueArray(policy, { minLength: 3, maxLength: 8, selector: ({ from, to }) => `${from} ${to}` });
const step = fc.record({
  client: fc.constantFrom(...CLIENTS),
  resource: fc.option(fc.constantFrom(...IDENTIFIERS), { nil: undefined, freq: 4 }),
  scope: fc.option(fc.subarray(IDENTIFIERS.flatMap(scopesOf), { minLength: 1, maxLength: 2 }), {
    nil: undefined,
    freq: 2,
  }),
  later: fc.constantFrom(0, 30, 700),
});

describe('random policies and chains of exchanges on a server (RFC 8693 section 2.1)', () => {
  const clock = fixedClock();
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ clock, applications: [aShop()] });
  });
  after(() => server.close());

  const seen = async (token: string) => (await introspect(server, { token }, as('reader'))).json;

  it('no token has a scope outside policy and API, a longer life, or another subject', async () => {
    let granted = 0;
    const run = async (random: Awaited<ReturnType<typeof generate>>) => {
      const reader = exchanger('reader', IDENTIFIERS);
      const clients = [...(aShop().clients ?? []), ...CLIENTS.map(id => exchanger(id, IDENTIFIERS)), reader];
      await server.provision({ applications: [aShop({ token_exchange: random.policies, clients })] });
      let held = await forOrders(server, 'openid orders:read list');
      let before = await seen(held);
      for (const { client, resource, scope, later } of random.steps) {
        clock.advance(later);
        const { status, json } = await exchange(server, held, { resource, scope: scope?.join(' ') }, client);
        if (status !== 200) {
          assert.equal(status, 400);
          continue;
        }
        granted++;
        const token = await seen(json.access_token);
        assert.equal(token.active, true);
        assert.equal(token.sub, before.sub);
        assert.equal(token.auth_time, before.auth_time);
        assert(token.exp <= before.exp, 'a longer life');
        const named = random.policies.filter(({ from, to }) => to === token.aud && [before.aud, client].includes(from));
        for (const one of (token.scope ?? '').split(' ').filter(Boolean)) {
          assert(scopesOf(token.aud).includes(one), one);
          assert(
            named.some(({ scopes }) => scopes.includes(one)),
            one,
          );
          assert(scope === undefined || scope.includes(one), one);
          assert(!['orders:write'].includes(one), 'what the user left out');
        }
        [held, before] = [json.access_token, token];
      }
    };
    const generate = () =>
      fc.sample(fc.record({ policies, steps: fc.array(step, { minLength: 4, maxLength: 7 }) }), 1)[0] ?? assert.fail();
    for (let count = 0; count < 40; count++) {
      const random = generate();
      await run(random).catch(error => assert.fail(`${error.message}: ${JSON.stringify(random)}`));
    }
    assert(granted > 20, `only ${granted} exchanges: the test is about nothing`);
  });
});

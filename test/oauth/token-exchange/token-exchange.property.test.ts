import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertRefused, introspect, parameter } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { fc } from '../../build/random.ts';
import { suiteServer } from '../../build/test-server.ts';
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
  later: fc.constantFrom(0, 0, 30, 700, 2000),
});

type Policy = typeof policy extends fc.Arbitrary<infer P> ? P : never;
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** The presented token: `withheld` are scopes that an API on the way has, and its token had not. */
interface Held {
  readonly aud: string;
  readonly exp: number;
  readonly depth: number;
  readonly withheld: readonly string[];
}

/** docs/token-exchange.md: the scopes of the new token, or the parameter that "What is refused" names. */
function expected(policies: readonly Policy[], held: Held, { client, resource, scope }: Step, now: number) {
  if (now >= held.exp || held.depth === 5) return 'subject_token';
  const fitting = policies.filter(({ from }) => from === held.aud || from === client);
  const reachable = [...new Set(fitting.map(({ to }) => to))];
  const scopesTo = (target: string) => fitting.filter(({ to }) => to === target).flatMap(({ scopes }) => scopes);
  const hasAll = (target: string) => scope?.every(one => scopesTo(target).includes(one)) ?? true;
  const possible = reachable.length === 1 ? reachable : reachable.filter(hasAll);
  const target = resource ?? (possible.length === 1 ? possible[0] : undefined);
  if (target === undefined || !reachable.includes(target)) return 'resource';
  const allowed = [...new Set(scopesTo(target))].filter(one => !held.withheld.includes(one));
  const granted = [...new Set(scope ?? allowed)];
  const isTooWide = granted.some(one => !allowed.includes(one));
  return isTooWide || (granted.length === 0 && scopesOf(target).length > 0) ? 'scope' : granted;
}

const ERRORS = { subject_token: 'invalid_request', resource: 'invalid_target', scope: 'invalid_scope' } as const;

describe('random policies and chains of exchanges on a server (RFC 8693 section 2.1)', () => {
  const clock = fixedClock();
  const server = suiteServer({ clock, applications: [aShop()] });

  const missingIn = ({ aud, scope = '' }: { aud: string; scope?: string }) =>
    scopesOf(aud).filter(one => !scope.split(' ').includes(one));
  const seen = async (token: string) => (await introspect(server, { token }, as('reader'))).json;

  it('no token has a scope outside policy and API, a longer life, or another subject, and refusals name the fault', async () => {
    let granted = 0;
    const refused = { subject_token: 0, resource: 0, scope: 0 };
    const histories = fc.sample(fc.record({ policies, steps: fc.array(step, { minLength: 4, maxLength: 7 }) }), 80);
    const run = async (random: (typeof histories)[number]) => {
      const reader = exchanger('reader', IDENTIFIERS);
      const clients = [...(aShop().clients ?? []), ...CLIENTS.map(id => exchanger(id, IDENTIFIERS)), reader];
      await server.provision({ applications: [aShop({ token_exchange: random.policies, clients })] });
      let held = await forOrders(server, 'openid orders:read list');
      let before = await seen(held);
      let [depth, withheld] = [0, missingIn(before)];
      for (const one of random.steps) {
        const { client, resource, scope, later } = one;
        clock.advance(later);
        const outcome = expected(
          random.policies,
          { aud: before.aud, exp: before.exp, depth, withheld },
          one,
          clock.now(),
        );
        const answered = await exchange(server, held, { resource, scope: scope?.join(' ') }, client);
        if (typeof outcome === 'string') {
          assertRefused(answered, 400, ERRORS[outcome], parameter(outcome));
          refused[outcome]++;
          continue;
        }
        const { status, json, text } = answered;
        assert.equal(status, 200, text);
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
        assert.deepEqual((token.scope ?? '').split(' ').filter(Boolean).sort(), outcome.toSorted());
        [held, before] = [json.access_token, token];
        [depth, withheld] = [depth + 1, [...withheld, ...missingIn(token)]];
      }
    };
    for (const random of histories) {
      await run(random).catch(error => assert.fail(`${error.message}: ${JSON.stringify(random)}`));
    }
    for (const [what, count] of Object.entries({ granted, ...refused })) {
      assert(count > 5, `only ${count} ${what}: the test is about nothing`);
    }
  });
});

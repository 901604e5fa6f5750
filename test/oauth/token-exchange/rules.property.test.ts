import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Api, findApi, hasScope } from '../../../src/directory/apis/rules.ts';
import {
  decideExchange,
  type ExchangeFacts,
  type ExchangePolicy,
  MAX_EXCHANGE_DEPTH,
  type SubjectToken,
  type WithExchange,
} from '../../../src/oauth/token-exchange/rules.ts';
import { fc } from '../../build/random.ts';

const APIS = ['https://orders.example', 'https://stock.example', 'urn:shop:files'];
const CLIENTS = ['web', 'orders-api', 'stock-api'];
/** Few names, so that APIs share some. */
const SCOPES = ['read', 'write', 'list', 'delete'];

const api = (identifier: string, scopes: readonly string[]): Api => ({
  ...{ identifier, name: 'API', require_dpop: false },
  scopes: Object.fromEntries(scopes.map(scope => [scope, `Text ${scope}`])),
});
const apis = fc
  .tuple(fc.subarray(APIS), fc.array(fc.subarray(SCOPES), { minLength: 3, maxLength: 3 }))
  .map(([identifiers, scopes]) => identifiers.map((identifier, at) => api(identifier, scopes[at] ?? [])));
const policy: fc.Arbitrary<ExchangePolicy> = fc.record({
  from: fc.constantFrom(...APIS, ...CLIENTS),
  to: fc.constantFrom(...APIS),
  scopes: fc.subarray(SCOPES),
});
const application: fc.Arbitrary<WithExchange> = fc.record({ apis, token_exchange: fc.array(policy, { maxLength: 6 }) });
const client = fc.record({ client_id: fc.constantFrom(...CLIENTS), apis: fc.subarray(APIS) });
const subject: fc.Arbitrary<SubjectToken> = fc.record({
  clientId: fc.constantFrom(...CLIENTS),
  audience: fc.option(fc.constantFrom(...APIS), { nil: undefined }),
  scope: fc.subarray(['openid', ...SCOPES]),
});
const request = fc.record({
  targets: fc.array(fc.constantFrom(...APIS, 'https://other.example'), { maxLength: 2 }),
  scope: fc.option(fc.subarray(['openid', ...SCOPES], { minLength: 1 }), { nil: undefined }),
  actor: fc.option(fc.constant({ sub: 'worker', client_id: 'worker' }), { nil: undefined }),
});

const actorsOf = (act: ExchangeFacts['act']): number => (act ? 1 + actorsOf(act.act) : 0);

describe('token exchange, for all policies, clients, tokens and requests (RFC 8693)', () => {
  it('a token has no scope beyond policy, API and request, and is for an API that a policy of this client or token names', () => {
    fc.assert(
      fc.property(application, client, subject, request, (shop, exchanger, token, asked) => {
        const decision = decideExchange(shop, exchanger, token, asked);
        if (decision.kind !== 'granted') return;
        const { api: target, scope } = decision;
        assert(
          token.clientId === exchanger.client_id || exchanger.apis.includes(token.audience ?? ''),
          'the client holds the token',
        );
        const named = (shop.token_exchange ?? []).filter(
          ({ from, to }) =>
            to === target.identifier && (findApi(shop, from) ? from === token.audience : from === exchanger.client_id),
        );
        assert(named.length > 0, 'a policy names it');
        assert(asked.targets.every(one => one === target.identifier));
        const source = token.audience === undefined ? undefined : findApi(shop, token.audience);
        for (const one of scope) {
          assert(hasScope(target, one), one);
          assert(
            named.some(({ scopes }) => scopes.includes(one)),
            one,
          );
          assert(asked.scope === undefined || asked.scope.includes(one), one);
          assert(!source || !hasScope(source, one) || token.scope.includes(one), `${one} was not in the subject token`);
        }
      }),
      { numRuns: 5000 },
    );
  });

  it('a chain of exchanges ends, hides no actor, and never gives back a scope that a token on the way lacked', () => {
    fc.assert(
      fc.property(
        application,
        client,
        subject,
        fc.array(request, { minLength: 1, maxLength: 9 }),
        (shop, who, first, asks) => {
          const all = { ...who, apis: APIS };
          const lacked = new Set<string>();
          let token = first;
          let actors = 0;
          for (const [at, asked] of asks.entries()) {
            const decision = decideExchange(shop, all, token, asked);
            if (at >= MAX_EXCHANGE_DEPTH) assert.notEqual(decision.kind, 'granted');
            if (decision.kind !== 'granted') return;
            const source = token.audience === undefined ? undefined : findApi(shop, token.audience);
            for (const one of Object.keys(source?.scopes ?? {})) if (!token.scope.includes(one)) lacked.add(one);
            for (const one of decision.scope) assert(!lacked.has(one), one);
            actors += asked.actor ? 1 : 0;
            assert.equal(actorsOf(decision.exchange.act), actors);
            const { identifier: audience } = decision.api;
            token = { clientId: all.client_id, audience, scope: decision.scope, exchange: decision.exchange };
          }
        },
      ),
      { numRuns: 5000 },
    );
  });

  it('an application without policies gives nothing', () => {
    fc.assert(
      fc.property(apis, client, subject, request, (known, exchanger, token, asked) => {
        assert.notEqual(decideExchange({ apis: known }, exchanger, token, asked).kind, 'granted');
      }),
    );
  });
});

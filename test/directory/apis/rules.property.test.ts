import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Api, apisWithScope, findApi, hasScope, type WithApis } from '../../../src/directory/apis/rules.ts';
import { accessTarget } from '../../../src/oauth/token/access-target.rules.ts';
import { grantedApis } from '../../../src/oauth/token/granted-api.rules.ts';
import { readAccess } from '../../../src/oauth/token/requested-access.rules.ts';
import { isAllowed, isStandardScope } from '../../../src/oauth/token/scope.rules.ts';
import { apiOfConsent, consentedScopes } from '../../../src/people/consent/rules.ts';
import { encodeParams, parseParams } from '../../../src/platform/http/params.rules.ts';
import { fc } from '../../build/random.ts';
import { application, client } from '../../oauth/authorize/given.ts';

const IDENTIFIERS = ['https://api.shop.example', 'https://stock.shop.example', 'urn:shop:files'];
/** Few names, so that APIs share some. */
const API_SCOPES = ['read', 'write', 'list', 'a#b'];
const SCOPES = ['openid', 'email', 'offline_access', ...API_SCOPES];

const scopesOfApi = fc.subarray(API_SCOPES).map(names => Object.fromEntries(names.map(name => [name, `Text ${name}`])));
const apis: fc.Arbitrary<Api[]> = fc
  .tuple(fc.subarray(IDENTIFIERS), fc.array(scopesOfApi, { minLength: 3, maxLength: 3 }))
  .map(([identifiers, scopes]) =>
    identifiers.map((identifier, at) => ({ identifier, name: 'API', scopes: scopes[at] ?? {}, require_dpop: false })),
  );
const some = fc.subarray(SCOPES, { minLength: 1 });
const request = fc.record({
  scope: fc.option(fc.shuffledSubarray(SCOPES, { minLength: 1 }), { nil: undefined }),
  resources: fc.oneof(
    fc.constant([]),
    fc.array(fc.constantFrom(...IDENTIFIERS, 'https://other.example'), { maxLength: 3 }),
  ),
});

const paramsOf = ({ scope, resources }: { scope: readonly string[] | undefined; resources: readonly string[] }) =>
  parseParams(encodeParams([['scope', scope?.join(' ')], ...resources.map(value => ['resource', value] as const)]));

/** A grant as the endpoints make it; undefined: the request is refused. */
function grantFor(ofApplication: WithApis, allowed: readonly string[], asked: Parameters<typeof paramsOf>[0]) {
  const access = readAccess(paramsOf(asked), client({ scope: allowed }), application({ apis: ofApplication.apis }));
  if (access.kind !== 'granted') return undefined;
  const { scope, resources: identifiers } = access;
  return { scope, identifiers, resources: grantedApis(ofApplication, scope, identifiers) };
}

describe('scopes and targets of access tokens, for all applications, clients and requests (RFC 8707)', () => {
  it('a grant has no scope that the client may not have, and none without an API that it covers', () => {
    fc.assert(
      fc.property(apis, some, request, (known, allowed, asked) => {
        const granted = grantFor({ apis: known }, allowed, asked);
        if (!granted) return;
        const covered = granted.identifiers ?? [];
        assert(covered.every(identifier => findApi({ apis: known }, identifier)));
        // An application without APIs ignores the parameter.
        if (known.length > 0) for (const identifier of asked.resources) assert(covered.includes(identifier));
        for (const scope of granted.scope) {
          assert(isAllowed(scope, allowed), scope);
          assert(asked.scope === undefined || asked.scope.includes(scope), scope);
          const owners = apisWithScope({ apis: known }, scope).map(({ identifier }) => identifier);
          assert(isStandardScope(scope) || owners.some(owner => covered.includes(owner)), scope);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('no access token has a scope that the client, the grant or its API does not allow, also after the API has changed', () => {
    let issued = 0;
    fc.assert(
      fc.property(apis, apis, fc.boolean(), some, request, request, (known, later, changes, allowed, asked, then) => {
        const granted = grantFor({ apis: known }, allowed, asked);
        if (!granted) return;
        const now = changes ? later : known;
        const target = accessTarget({ apis: now }, granted, then);
        if (!target) return;
        issued++;
        const { api, scope } = target;
        for (const one of scope) {
          assert(isAllowed(one, allowed) && (then.scope ?? granted.scope).includes(one), one);
          assert(api ? hasScope(api, one) : isStandardScope(one), one);
        }
        if (!api) return assert.equal(then.resources.length, 0);
        const at = granted.resources?.find(({ identifier }) => identifier === api.identifier);
        for (const one of scope) assert(at?.scope?.includes(one), `${one} was granted at another API`);
        assert(at);
        assert(now.includes(api));
        for (const resource of then.resources) assert(granted.identifiers?.includes(resource), resource);
        if (then.resources.length > 0) assert.equal(then.resources[0], api.identifier);
      }),
      { numRuns: 2000 },
    );
    assert(issued > 200, `only ${issued} tokens were issued`);
  });

  it('the user has agreed to every scope of an API for that API, and the page can name it', () => {
    fc.assert(
      fc.property(apis, some, request, (known, allowed, asked) => {
        const of = { apis: known };
        const granted = grantFor(of, allowed, asked);
        if (!granted) return;
        const consented = consentedScopes(of, granted.scope, granted.resources);
        for (const resource of granted.identifiers ?? []) {
          const target = accessTarget(of, granted, { resources: [resource], scope: undefined });
          const { api, scope } = target ?? assert.fail(resource);
          const agreed = consented.map(each => apiOfConsent(of, each)).filter(each => each?.api === api);
          const texts = agreed.map(each => each?.text);
          for (const one of scope) assert(texts.includes(api?.scopes[one]), one);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

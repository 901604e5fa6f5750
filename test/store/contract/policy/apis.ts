import assert from 'node:assert/strict';
import type { Api, RequestedAccess } from '../../../../src/directory/apis/rules.ts';
import { type AccessTarget, accessTarget } from '../../../../src/oauth/token/access-target.rules.ts';
import type { NewAccessToken, NewToken, RequestedTarget, TokenFamily } from '../../../../src/oauth/token/store.ts';
import { token } from '../given-tokens.ts';

/** The APIs of the applications in a history, as the protocol knows them: the store has only what each grant covers. */
export const ORDERS: Api = {
  identifier: 'https://api.shop.example',
  name: 'Orders',
  scopes: { 'orders:read': 'Read', 'orders:write': 'Change', list: 'List' },
  access_token_ttl: 600,
  require_dpop: false,
};
export const STOCK: Api = {
  identifier: 'https://stock.shop.example',
  name: 'Stock',
  scopes: { 'stock:read': 'Read', list: 'List' },
  access_token_ttl: 45 * 86_400,
  require_dpop: false,
};
/** Of a grant that covers it, and gone since. */
export const GONE = 'https://gone.shop.example';
const APPLICATION = { apis: [ORDERS, STOCK] };

export const NO_REQUEST: RequestedAccess = { resources: [], scope: undefined };

/** What a request asks for, and the token that it planned for an API. */
export interface ForApi {
  readonly requested: RequestedAccess;
  readonly planned: NewToken;
}

/** `family`: the one that the request is about, as far as is known before the store looks. */
export function planForApi(family: TokenFamily, requested: RequestedAccess, now: number, ttl: number): ForApi {
  const target = accessTarget(APPLICATION, family, requested);
  return { requested, planned: token(now + (target?.api?.access_token_ttl ?? ttl)) };
}

/** As oauth/token/issue.ts hands it to the store: decided from the family that the store has found. */
export function targetOf({ requested, planned }: ForApi): RequestedTarget {
  return {
    namesResource: requested.resources.length > 0,
    accessFor: family => withTarget(planned, accessTarget(APPLICATION, family, requested)) ?? 'targetInvalid',
  };
}

function withTarget(planned: NewToken, target: AccessTarget | undefined): NewAccessToken | undefined {
  return target && { ...planned, audience: target.api?.identifier, scope: target.scope };
}

/** The first token of a family that has no code. */
export function firstAccess(family: TokenFamily, now: number): NewAccessToken {
  if (family.resources === undefined) return token(now + 3600);
  const { planned } = planForApi(family, NO_REQUEST, now, 3600);
  return withTarget(planned, accessTarget(APPLICATION, family, NO_REQUEST)) ?? planned;
}

/** The access token that must be written: for an API where the request names one or the grant covers some. Undefined: none. */
export function rightAccess(
  family: TokenFamily,
  { requested, planned }: ForApi,
  ofIssuer: NewToken,
): NewAccessToken | undefined {
  if (requested.resources.length === 0 && family.resources === undefined) {
    return { ...ofIssuer, scope: requested.scope };
  }
  const target = accessTarget(APPLICATION, family, requested);
  if (target === undefined) return undefined;
  // No token has a scope that its API does not have, or that was not granted there.
  const { api, scope } = target;
  const granted = family.resources?.find(({ identifier }) => identifier === api?.identifier);
  assert(scope.every(one => family.scope.includes(one)));
  if (api) assert(scope.every(one => Object.hasOwn(api.scopes, one) && granted?.scope.includes(one)));
  return { ...planned, audience: api?.identifier, scope };
}

import { findApi, type GrantedAccess, grantedAccess, identifierOf, type WithApis } from '../../directory/apis/rules.ts';
import { checkDetails, isWithin, knowsDetails, parseDetails } from '../authorization-details/rules.ts';
import type { AuthorizationDetail } from '../authorization-details/schema.rules.ts';
import { isWellFormed, type Scope } from '../token/scope.rules.ts';
import type { ReadAssertion } from './rules.ts';

/** What the token of an assertion may do: what issuer, client and assertion allow, and the request asks for. Pure. */

interface Asked {
  /** The parameter, in words. Undefined: it is not there. */
  readonly scope: readonly Scope[] | undefined;
  readonly resources: readonly string[];
  readonly details: readonly AuthorizationDetail[] | undefined;
}

export type AccessVerdict =
  | (Extract<GrantedAccess, { readonly kind: 'granted' }> & {
      readonly details: readonly AuthorizationDetail[] | undefined;
    })
  | Exclude<GrantedAccess, { readonly kind: 'granted' }>
  | { readonly kind: 'detailsInvalid'; readonly reason: string };

/** There is nothing to refresh. */
const NEVER: readonly Scope[] = ['offline_access'];

/** `allowed`: what the client is registered for. */
export function accessOfAssertion(
  application: WithApis & { readonly code: string },
  allowed: readonly Scope[],
  assertion: Pick<ReadAssertion, 'issuer' | 'scope' | 'resources' | 'details'>,
  asked: Asked,
): AccessVerdict {
  const { issuer, scope: named } = assertion;
  const own = allowed.filter(one => issuer.scopes.includes(one) && !NEVER.includes(one));
  const read = detailsOf(application, own, assertion, asked.details);
  if (read?.kind === 'detailsInvalid') return read;
  // One that has details alone asks for these alone.
  const isForDetails = read !== undefined && named === undefined;
  const left = isForDetails ? [] : own.filter(one => named?.includes(one) ?? true);
  const beyond = asked.scope?.find(one => !left.includes(one));
  if (beyond !== undefined) return { kind: 'scopeInvalid', scope: isWellFormed(beyond) ? beyond : '' };
  const resources = resourcesOf(application, assertion.resources, asked.resources);
  if (resources.kind === 'targetInvalid') return resources;
  const granted = grantedAccess(application, left, { resources: resources.all, scope: asked.scope });
  if (granted.kind !== 'granted') return granted;
  if (granted.scope.length === 0 && !read) return { kind: 'scopeInvalid', scope: '' };
  const apis = read ? [...new Set([...(granted.resources ?? []), ...read.apis])] : granted.resources;
  return { ...granted, resources: apis, details: read?.details };
}

/** The assertion may name resources that are none here; but not such alone. */
function resourcesOf(
  application: WithApis,
  named: readonly string[] | undefined,
  asked: readonly string[],
):
  | { readonly kind: 'all'; readonly all: readonly string[] }
  | Extract<GrantedAccess, { readonly kind: 'targetInvalid' }> {
  // An application without APIs does not know the parameter.
  if (named === undefined || (application.apis ?? []).length === 0) return { kind: 'all', all: asked };
  const known = named.map(one => identifierOf(application, one)).filter(one => findApi(application, one));
  const beyond = asked.find(one => !known.includes(one));
  if (beyond !== undefined) return { kind: 'targetInvalid', resource: beyond };
  if (known.length === 0) return { kind: 'targetInvalid', resource: named[0] };
  return { kind: 'all', all: asked.length > 0 ? asked : known };
}

type Details =
  | { readonly kind: 'read'; readonly details: readonly AuthorizationDetail[]; readonly apis: readonly string[] }
  | Extract<AccessVerdict, { readonly kind: 'detailsInvalid' }>;

/** All of them, or none: a payment of which half is left out is another one. Undefined: there are none. */
function detailsOf(
  application: WithApis,
  allowed: readonly Scope[],
  { issuer, details: claimed }: Pick<ReadAssertion, 'issuer' | 'details'>,
  asked: readonly AuthorizationDetail[] | undefined,
): Details | undefined {
  const invalid = (reason: string): Details => ({ kind: 'detailsInvalid', reason });
  if (claimed === undefined) return asked && invalid('more than was granted');
  const parsed = parseDetails(JSON.stringify(claimed));
  if (typeof parsed === 'string') return invalid(parsed);
  const types = issuer.authorization_details_types ?? [];
  if (!knowsDetails(application) || !parsed.every(({ type }) => types.includes(type))) return invalid('unknown type');
  if (asked && !isWithin(asked, parsed)) return invalid('more than was granted');
  const checked = checkDetails(asked ?? parsed, application, allowed);
  return checked.kind === 'invalid' ? invalid(checked.reason) : checked;
}

import { findApi, type GrantedAccess, grantedAccess, identifierOf } from '../../directory/apis/rules.ts';
import type { Application } from '../../directory/applications/rules.ts';
import { type Client, isSelfRegistered } from '../../directory/clients/rules.ts';
import { type Failure, failure, parameterFailure, scopeFailure, targetFailure } from '../../failures.ts';
import { isAgent } from '../../people/agents/rules.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { detailsIn, withApisOf } from '../authorization-details/rules.ts';
import { NO_CLAIMS, type RequestedClaims } from '../authorize/claims-request.rules.ts';
import { dialectOf } from '../authorize/strict-oidc.rules.ts';
import { isStandardScope, parseScope, type Scope, type ScopeResult, scopesOf } from './scope.rules.ts';

/** The parameters `scope` and `resource`, of every endpoint that takes them. */

/** The requested scope, or the client's registered scope if the request has none. */
export function readScope(text: string | undefined, client: Client, application: Application): ScopeResult {
  const allowed = allowedScope(client, application);
  if (text === undefined) return { kind: 'granted', scope: allowed };
  return parseScope(text, allowed, dialectOf(application).unknownScopes);
}

/** What the client is registered for. An API may have lost a scope since. */
export function allowedScope({ scope }: Pick<Client, 'scope'>, application: Application): readonly Scope[] {
  if (scope.every(isStandardScope)) return scope;
  const known = scopesOf(application);
  return scope.filter(one => known.includes(one));
}

/** What a person may give the client: an agent asks for what it is not registered for (people/agents). */
export function approvableScope(client: Client, application: Application): readonly Scope[] {
  return isAgent(client) ? scopesOf(application) : allowedScope(client, application);
}

/** Scope and resources of a request (RFC 6749 section 3.3, RFC 8707 section 2.1). */
export function readAccess(params: Params, client: Client, application: Application): GrantedAccess {
  const text = params.get('scope');
  const read = readScope(text, client, application);
  if (read.kind === 'refused') return { kind: 'scopeInvalid', scope: read.token };
  const resources = requestedResources(params, application);
  const scope = text === undefined ? defaultOf(client, application, resources) : read.scope;
  return grantedAccess(application, allowedScope(client, application), { resources, scope });
}

export interface RichAccess extends Extract<GrantedAccess, { readonly kind: 'granted' }> {
  readonly claims: RequestedClaims;
}

/** The same with the authorization details (RFC 9396), for requests that a person decides about elsewhere. */
export function readRichAccess(params: Params, client: Client, application: Application): RichAccess | Failure {
  const access = readAccess(params, client, application);
  if (access.kind === 'scopeInvalid') return scopeFailure(access.scope);
  if (access.kind === 'targetInvalid') return targetFailure(access.resource);
  const rich = detailsIn(params, application, allowedScope(client, application));
  if (rich?.kind === 'invalid') return failure('authorizationDetailsInvalid', rich.reason);
  const claims = rich ? { ...NO_CLAIMS, authorization_details: rich.details } : NO_CLAIMS;
  return { ...access, resources: withApisOf(rich?.apis, access.resources), claims };
}

/**
 * A self-registered client may request everything, so its default is little: openid, and the scopes of the APIs that it names.
 * Undefined: the registered scope.
 */
function defaultOf(
  client: Client,
  application: Application,
  resources: readonly string[],
): readonly Scope[] | undefined {
  if (!isSelfRegistered(client)) return undefined;
  const named = resources.flatMap(identifier => Object.keys(findApi(application, identifier)?.scopes ?? {}));
  const scope = allowedScope(client, application).filter(one => one === 'openid' || named.includes(one));
  return scope.length === 0 ? undefined : scope;
}

/**
 * An application without APIs does not know the parameter, and ignores it like every unknown one (row 17): clients that always send it,
 * such as those of MCP, work there as before.
 */
export function requestedResources(params: Params, application: Application): readonly string[] {
  if (!knowsResources(application)) return [];
  return params.all('resource').map(resource => identifierOf(application, resource));
}

function knowsResources({ apis = [] }: Application): boolean {
  return apis.length > 0;
}

/** It may be repeated, and each value must be readable. */
export function undecodableResource(params: Params, application: Application): Failure | undefined {
  if (!knowsResources(application)) return undefined;
  const fault = params.fault(['resource']);
  return fault?.kind === 'malformed' ? parameterFailure(fault) : undefined;
}

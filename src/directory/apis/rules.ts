import type { AuthorizationDetail } from '../../oauth/authorization-details/schema.rules.ts';
import { isUserScope, type Scope } from '../../oauth/token/scope.rules.ts';
import { isAdminApi } from '../applications/built-in.rules.ts';

/**
 * An API of an application: a resource in the words of RFC 8707, with scopes of its own. The audience of its access tokens is its
 * identifier, and they have no scopes but its own.
 */
export interface Api {
  /** An absolute URI without a fragment (RFC 8707 section 2), compared by `identifierOf`. */
  readonly identifier: string;
  readonly name: string;
  /** Each scope with the text that the consent page shows. */
  readonly scopes: Readonly<Record<string, string>>;
  /** Undefined: as the client has it. */
  readonly access_token_format?: 'opaque' | 'jwt' | undefined;
  /** In seconds. Undefined: as the application has it. */
  readonly access_token_ttl?: number | undefined;
  /** Whether its access tokens must be bound to a key (RFC 9449). */
  readonly require_dpop: boolean;
  /** RFC 9396, by type. Undefined: it has none. */
  readonly authorization_details_types?: Readonly<Record<string, DetailsType>> | undefined;
}

/** A type of authorization details (oauth/authorization-details). */
export interface DetailsType {
  /** Of the members beside `type`. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** The sentence of the consent page, with members in braces. */
  readonly display: string;
}

/** An application, as far as its APIs matter. */
export interface WithApis {
  readonly code?: string;
  readonly apis?: readonly Api[] | undefined;
  readonly user_attributes?: readonly { readonly scope?: Scope | undefined }[] | undefined;
}

/**
 * The identifier of the API that a value of `resource` names, or the value itself. Compared character by character, but that an origin is
 * the same with and without its slash (RFC 3986 section 6.2.3): the URL class of JavaScript, and so the SDK of MCP, always adds it.
 */
export function identifierOf(application: WithApis, resource: string): string {
  if (!ORIGIN.test(resource) || findApi(application, resource)) return resource;
  const other = resource.endsWith('/') ? resource.slice(0, -1) : `${resource}/`;
  return findApi(application, other)?.identifier ?? resource;
}

/** With or without its slash. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]+\/?$/i;

export function findApi({ apis = [] }: WithApis, identifier: string): Api | undefined {
  return apis.find(api => api.identifier === identifier);
}

export function hasScope({ scopes }: Api, scope: Scope): boolean {
  return Object.hasOwn(scopes, scope);
}

export function apisWithScope({ apis = [] }: WithApis, scope: Scope): Api[] {
  return apis.filter(api => hasScope(api, scope));
}

/** What a request asks for: `scope` is undefined where the request has none. */
export interface RequestedAccess {
  readonly resources: readonly string[];
  readonly scope: readonly Scope[] | undefined;
  /** Of a token request (RFC 9396 section 6). Undefined: it does not say. */
  readonly details?: readonly AuthorizationDetail[] | undefined;
}

export type GrantedAccess =
  | { readonly kind: 'granted'; readonly resources: readonly string[] | undefined; readonly scope: readonly Scope[] }
  /** `resource`: the value that is unknown, not open to the client, or missing. */
  | { readonly kind: 'targetInvalid'; readonly resource: string | undefined }
  | { readonly kind: 'scopeInvalid'; readonly scope: Scope };

/**
 * The APIs and scopes that a grant covers (RFC 8707 section 2.1). `allowed`: the scope that the client may have, and the default.
 * Without `resource`, each scope of an API selects its API.
 */
export function grantedAccess(
  application: WithApis,
  allowed: readonly Scope[],
  { resources, scope }: RequestedAccess,
): GrantedAccess {
  // The server itself: what is left is a grant that covers no API.
  const others = resources.filter(identifier => !isAdminApi(application, identifier));
  const unknown = others.find(identifier => !mayAccess(application, allowed, identifier));
  if (unknown !== undefined) return { kind: 'targetInvalid', resource: unknown };
  return resources.length === 0
    ? selectedByScope(application, scope ?? allowed)
    : withinResources(application, [...new Set(others)], scope, allowed);
}

/** The first of these APIs that takes no bearer tokens: a flow that cannot bind a token to a key has none for it (RFC 9449). */
export function findDemandingKey(application: WithApis, resources: readonly string[] = []): string | undefined {
  return resources.find(identifier => findApi(application, identifier)?.require_dpop === true);
}

/** A client may name an API if it may have one of its scopes. An API without scopes is open to all clients of its application. */
export function mayAccess(application: WithApis, allowed: readonly Scope[], identifier: string): boolean {
  const api = findApi(application, identifier);
  if (!api) return false;
  const scopes = Object.keys(api.scopes);
  return scopes.length === 0 || scopes.some(scope => allowed.includes(scope));
}

function withinResources(
  application: WithApis,
  resources: readonly string[],
  requested: readonly Scope[] | undefined,
  allowed: readonly Scope[],
): GrantedAccess {
  const isCovered = (scope: Scope) =>
    isUserScope(application, scope) ||
    apisWithScope(application, scope).some(({ identifier }) => resources.includes(identifier));
  const beyond = requested?.find(scope => !isCovered(scope));
  if (beyond !== undefined) return { kind: 'scopeInvalid', scope: beyond };
  const covered = resources.length === 0 ? undefined : resources;
  return { kind: 'granted', resources: covered, scope: requested ?? allowed.filter(isCovered) };
}

/** A scope that several APIs share selects none of them: another scope has to, or the parameter `resource`. */
function selectedByScope(application: WithApis, scope: readonly Scope[]): GrantedAccess {
  const owners = scope.map(one => apisWithScope(application, one)).filter(apis => apis.length > 0);
  const selected = new Set(owners.filter(apis => apis.length === 1).map(([api]) => api));
  if (!owners.every(apis => apis.some(api => selected.has(api)))) return { kind: 'targetInvalid', resource: undefined };
  const resources = [...selected].map(api => (api as Api).identifier);
  return { kind: 'granted', resources: resources.length === 0 ? undefined : resources, scope };
}

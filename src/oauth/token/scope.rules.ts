import { BUILT_IN_APPLICATION } from '../../directory/applications/built-in.rules.ts';

export const scopes = ['openid', 'profile', 'email', 'phone', 'address', 'groups', 'roles', 'offline_access'] as const;
/** Only in the built-in application: what an operator's access token may do at the admin API. */
export const operatorScopes = ['admin:read', 'admin:write'] as const;
/** The scopes that this server defines; those of an API are defined by its application (directory/apis/rules.ts). */
export type StandardScope = (typeof scopes)[number] | (typeof operatorScopes)[number];
/** A scope-token (RFC 6749 section 3.3). */
export type Scope = string;

export const everyScope: readonly StandardScope[] = [...scopes, ...operatorScopes];

interface WithScopes {
  readonly code: string;
  readonly apis?: readonly { readonly scopes: Readonly<Record<Scope, string>> }[] | undefined;
  readonly user_attributes?: WithUserScopes['user_attributes'];
}

interface WithUserScopes {
  readonly user_attributes?: readonly { readonly scope?: Scope | undefined }[] | undefined;
}

/** The scopes that an application knows. */
export function scopesOf({ code, apis = [], user_attributes: attributes = [] }: WithScopes): readonly Scope[] {
  const own = code === BUILT_IN_APPLICATION ? everyScope : scopes;
  if (apis.length === 0 && attributes.length === 0) return own;
  const ofApis = apis.flatMap(api => Object.keys(api.scopes));
  return [...new Set([...own, ...attributes.flatMap(({ scope }) => scope ?? []), ...ofApis])];
}

/** Whether a scope is about users, and so of no API: one of the server, or of the fields that the deployment defines. */
export function isUserScope({ user_attributes: attributes }: WithUserScopes, scope: Scope): boolean {
  return isStandardScope(scope) || attributes?.some(one => one.scope === scope) === true;
}

/**
 * What a self-registered client may request: what it names, and otherwise every scope of the application and its APIs, because the user
 * is asked each time.
 */
export function selfRegisteredScope(application: WithScopes, named: readonly Scope[] | undefined): readonly Scope[] {
  const known = scopesOf(application);
  return named?.filter(scope => known.includes(scope)) ?? known;
}

export function isStandardScope(scope: Scope): scope is StandardScope {
  return (everyScope as readonly string[]).includes(scope);
}

/** The registered scope of a client that names none (row 18). */
export const defaultScope: readonly Scope[] = ['openid', 'profile', 'email', 'phone'];

/** OIDC Core sections 5.4 and 11: every client that is registered for `openid` may request these. */
const ALLOWED_WITH_OPENID: readonly Scope[] = ['address', 'offline_access'];

export type ScopeResult =
  | { readonly kind: 'granted'; readonly scope: readonly Scope[] }
  /** The first scope token that is malformed, unknown or not allowed; empty if the request has none. */
  | { readonly kind: 'refused'; readonly token: string };

/** RFC 6749 section 3.3. The result keeps the order and drops repeated tokens. */
export function parseScope(
  text: string,
  allowed: readonly Scope[],
  unknownScopes: 'refused' | 'ignored' = 'refused',
): ScopeResult {
  const granted: Scope[] = [];
  const ignored: string[] = [];
  for (const token of text.split(' ')) {
    if (token === '') continue;
    if (unknownScopes === 'ignored' && isWellFormed(token) && !isKnown(token, allowed)) ignored.push(token);
    else if (!isKnown(token, allowed) || !isAllowed(token, allowed)) return { kind: 'refused', token };
    else if (!granted.includes(token)) granted.push(token);
  }
  return granted.length === 0 ? { kind: 'refused', token: ignored[0] ?? '' } : { kind: 'granted', scope: granted };
}

/** Whether a client that is registered for `allowed` may request this scope. */
export function isAllowed(scope: Scope, allowed: readonly Scope[]): boolean {
  return allowed.includes(scope) || (ALLOWED_WITH_OPENID.includes(scope) && allowed.includes('openid'));
}

/** The characters of a scope-token (RFC 6749 section 3.3). */
export function isWellFormed(token: string): boolean {
  return /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(token);
}

/** A scope of the built-in application is known only to its own clients. */
function isKnown(token: string, allowed: readonly Scope[]): boolean {
  return standard.has(token) || allowed.includes(token);
}

const standard: ReadonlySet<string> = new Set(scopes);

/** Splits a stored scope. It was checked when it was granted. */
export function grantedScope(text: string): Scope[] {
  return text === '' ? [] : text.split(' ');
}

/** Whether `scope` lacks a part of the granted scope. */
export function isNarrower(scope: readonly string[], granted: readonly string[]): boolean {
  return granted.some(one => !scope.includes(one));
}

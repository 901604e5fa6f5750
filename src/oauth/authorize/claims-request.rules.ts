import { profileScopeClaims } from '../../directory/users/standard-claims.rules.ts';
import { acrValues, type RequestedAcr } from '../../people/sign-in/acr.rules.ts';
import type { AuthorizationDetail } from '../authorization-details/schema.rules.ts';
import { isAllowed, type Scope } from '../token/scope.rules.ts';

/** OIDC Core section 5.5: the parameter `claims` requests single claims, in addition to those of the scopes. */
export interface RequestedClaims {
  readonly userinfo: readonly string[];
  readonly id_token: readonly string[];
  /** The user must be this one (section 5.5.1). */
  readonly sub?: string;
  /** What the client wants to do (RFC 9396): with them, since nearly no grant has either. Undefined: none. */
  readonly authorization_details?: readonly AuthorizationDetail[] | undefined;
}

export const NO_CLAIMS: RequestedClaims = { userinfo: [], id_token: [] };

/** Which scope stands for a claim: a client gets none that its scopes do not cover. */
const SCOPE_OF: Readonly<Record<string, Scope>> = {
  ...Object.fromEntries(profileScopeClaims.map(name => [name, 'profile'] as const)),
  email: 'email',
  email_verified: 'email',
  phone_number: 'phone',
  phone_number_verified: 'phone',
  address: 'address',
  groups: 'groups',
  roles: 'roles',
};

/** Every claim about a user that a client can receive. */
export const userClaims = Object.keys(SCOPE_OF);

/** The scopes that cover the requested claims. The consent page shows scopes, not claims. */
export function scopesOfClaims({ userinfo, id_token }: RequestedClaims): Scope[] {
  const names = [...userinfo, ...id_token].filter(name => Object.hasOwn(SCOPE_OF, name));
  return [...new Set(names.map(name => SCOPE_OF[name] as Scope))];
}

/** Keeps the claims that the scope of a narrowed token covers. `acr` needs no scope: it describes the login, not the user. */
export function claimsWithin(claims: RequestedClaims, scope: readonly Scope[]): RequestedClaims {
  const covered = (name: string) => !Object.hasOwn(SCOPE_OF, name) || scope.includes(SCOPE_OF[name] as Scope);
  return { ...claims, userinfo: claims.userinfo.filter(covered), id_token: claims.id_token.filter(covered) };
}

/** Of single claims, those that a client which is registered for `allowed` may ask for. */
export function claimsAllowed(claims: RequestedClaims, allowed: readonly Scope[]): RequestedClaims {
  return claimsWithin(
    claims,
    scopesOfClaims(claims).filter(scope => isAllowed(scope, allowed)),
  );
}

const MAX_LENGTH = 4096;

/**
 * Unknown claims are ignored, essential or not (5.5.1). Refused are an essential acr that this server does not support, and one user for
 * the ID token together with another for userinfo: nobody is both.
 */
export function parseClaimsRequest(
  text: string | undefined,
  requestedAcrs: string | undefined,
  allowed: readonly Scope[],
): RequestedClaims | 'malformed' | 'unmet' | 'twoUsers' {
  const request = text === undefined ? {} : parseObject(text);
  if (request === undefined) return 'malformed';
  const userinfo = member(request, 'userinfo');
  const idToken = member(request, 'id_token');
  if (userinfo === undefined || idToken === undefined) return 'malformed';
  if (requiresOtherAcr(idToken.acr)) return 'unmet';

  const covered = (names: readonly string[]) =>
    names.filter(name => Object.hasOwn(SCOPE_OF, name) && isAllowed(SCOPE_OF[name] as Scope, allowed));
  const isAcrRequested = Object.hasOwn(idToken, 'acr') || requestedAcrs?.split(' ').some(isSupportedAcr) === true;
  const [sub, other = sub] = [idToken.sub, userinfo.sub].map(requiredValue).filter(value => value !== undefined);
  if (sub !== other) return 'twoUsers';
  return {
    userinfo: covered(Object.keys(userinfo)),
    id_token: [...covered(Object.keys(idToken)), ...(isAcrRequested ? ['acr'] : [])],
    ...(sub === undefined ? {} : { sub }),
  };
}

type Json = Readonly<Record<string, unknown>>;

function parseObject(text: string): Json | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function asObject(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

function member(object: Json, name: string): Json | undefined {
  return Object.hasOwn(object, name) && object[name] !== null ? asObject(object[name]) : {};
}

function requiredValue(request: unknown): string | undefined {
  const value = asObject(request)?.value;
  return typeof value === 'string' ? value : undefined;
}

/** The claim `acr` has precedence over the parameter acr_values (OIDC Core section 5.5.1.1). Undefined: neither asks for a class. */
export function requestedAcr(
  claims: string | undefined,
  acrValuesParameter: string | undefined,
): RequestedAcr | undefined {
  const claim = claims === undefined ? undefined : member(parseObject(claims) ?? {}, 'id_token')?.acr;
  const { essential, value, values } = asObject(claim) ?? {};
  const named = [value, ...(Array.isArray(values) ? values : [])].filter(isSupportedAcr);
  if (named.length > 0) return { values: named, essential: essential === true };
  return voluntaryAcr(acrValuesParameter?.split(' '));
}

export function voluntaryAcr(values: readonly string[] | undefined): RequestedAcr | undefined {
  const supported = [...new Set(values?.filter(isSupportedAcr))];
  return supported.length === 0 ? undefined : { values: supported, essential: false };
}

function requiresOtherAcr(request: unknown): boolean {
  const { essential, value, values } = asObject(request) ?? {};
  if (essential !== true || (value === undefined && values === undefined)) return false;
  return !isSupportedAcr(value) && !(Array.isArray(values) && values.some(isSupportedAcr));
}

function isSupportedAcr(value: unknown): value is string {
  return typeof value === 'string' && acrValues.includes(value);
}

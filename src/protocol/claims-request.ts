import { acrValues } from './acr.ts';
import { isAllowed, type Scope } from './scope.ts';
import { profileScopeClaims } from './standard-claims.ts';

/** OIDC Core section 5.5: claims asked for one by one, beside what the scopes give. */
export interface RequestedClaims {
  readonly userinfo: readonly string[];
  readonly id_token: readonly string[];
  /** A demand that the user be this one (section 5.5.1). */
  readonly sub?: string;
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
};

/** Every claim about a user that a client can be given. */
export const userClaims = Object.keys(SCOPE_OF);

/** What a request for single claims amounts to, for a user who is asked about scopes. */
export function scopesBehind({ userinfo, id_token }: RequestedClaims): Scope[] {
  const names = [...userinfo, ...id_token].filter(name => Object.hasOwn(SCOPE_OF, name));
  return [...new Set(names.map(name => SCOPE_OF[name] as Scope))];
}

/** Of single claims, those that the scope of a narrowed token covers. No scope stands for `acr`: it is about the login. */
export function claimsWithin(claims: RequestedClaims, scope: readonly Scope[]): RequestedClaims {
  const covered = (name: string) => !Object.hasOwn(SCOPE_OF, name) || scope.includes(SCOPE_OF[name] as Scope);
  return { ...claims, userinfo: claims.userinfo.filter(covered), id_token: claims.id_token.filter(covered) };
}

/** Of single claims, those that a client which is registered for `allowed` may ask for. */
export function claimsAllowed(claims: RequestedClaims, allowed: readonly Scope[]): RequestedClaims {
  return claimsWithin(
    claims,
    scopesBehind(claims).filter(scope => isAllowed(scope, allowed)),
  );
}

const LONGEST = 4096;

/** Unknown claims are ignored, essential or not (5.5.1); only an essential acr that we cannot give is a refusal. */
export function parseClaimsRequest(
  text: string | undefined,
  requestedAcrs: string | undefined,
  allowed: readonly Scope[],
): RequestedClaims | 'malformed' | 'unmet' {
  const asked = text === undefined ? {} : parseObject(text);
  if (asked === undefined) return 'malformed';
  const userinfo = member(asked, 'userinfo');
  const idToken = member(asked, 'id_token');
  if (userinfo === undefined || idToken === undefined) return 'malformed';
  if (demandsOtherAcr(idToken.acr)) return 'unmet';

  const covered = (names: readonly string[]) =>
    names.filter(name => Object.hasOwn(SCOPE_OF, name) && isAllowed(SCOPE_OF[name] as Scope, allowed));
  const wantsAcr = Object.hasOwn(idToken, 'acr') || requestedAcrs?.split(' ').some(isSupportedAcr) === true;
  const sub = demandedValue(idToken.sub) ?? demandedValue(userinfo.sub);
  return {
    userinfo: covered(Object.keys(userinfo)),
    id_token: [...covered(Object.keys(idToken)), ...(wantsAcr ? ['acr'] : [])],
    ...(sub === undefined ? {} : { sub }),
  };
}

type Json = Readonly<Record<string, unknown>>;

function parseObject(text: string): Json | undefined {
  if (text.length > LONGEST) return undefined;
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function asObject(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

function member(asked: Json, name: string): Json | undefined {
  return Object.hasOwn(asked, name) && asked[name] !== null ? asObject(asked[name]) : {};
}

function demandedValue(request: unknown): string | undefined {
  const value = asObject(request)?.value;
  return typeof value === 'string' ? value : undefined;
}

function demandsOtherAcr(request: unknown): boolean {
  const { essential, value, values } = asObject(request) ?? {};
  if (essential !== true || (value === undefined && values === undefined)) return false;
  return !isSupportedAcr(value) && !(Array.isArray(values) && values.some(isSupportedAcr));
}

function isSupportedAcr(value: unknown): boolean {
  return typeof value === 'string' && acrValues.includes(value);
}

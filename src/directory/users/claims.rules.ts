import { hash } from 'node:crypto';
import type { Confirmation } from '../../oauth/proof-of-possession/confirmation.rules.ts';
import type { SigningAlg } from '../../oauth/signing-keys/algorithms.rules.ts';
import { type Scope, scopes } from '../../oauth/token/scope.rules.ts';
import type { Actor } from '../../oauth/token-exchange/rules.ts';
import { acrOf } from '../../people/sign-in/acr.rules.ts';
import { groupsOf, type Membership, rolesAt } from '../access/rules.ts';
import type { ClaimsForm } from '../clients/rules.ts';
import { setAttributes, type UserAttribute } from '../user-attributes/rules.ts';
import { profileStandardClaims, type StandardClaims } from './standard-claims.rules.ts';

export interface Profile {
  readonly sub: string;
  readonly username: string;
  readonly nickname: string | undefined;
  readonly picture: string | undefined;
  readonly email: string | undefined;
  readonly emailVerified: boolean;
  /** An identity provider named the address and nobody has vouched for it: it is no login name. Only where the operation reads it. */
  readonly isEmailClaimed?: boolean | undefined;
  readonly phoneNumber: string | undefined;
  readonly phoneNumberVerified: boolean;
  /** The user typed the number and nobody has vouched for it: it is no login name. Only where the operation reads it. */
  readonly isPhoneClaimed?: boolean | undefined;
  readonly updatedAt: number;
  /** Undefined if the user has none. */
  readonly standardClaims: StandardClaims | undefined;
  /** Undefined if the user has no group and no role. */
  readonly membership?: Membership | undefined;
}

/** A user can be marked as verified and have no address. */
export function hasVerifiedEmail(user: {
  readonly email?: string | undefined;
  readonly emailVerified?: boolean | undefined;
}): boolean {
  return user.email !== undefined && user.emailVerified === true;
}

export type Claims = Record<string, unknown>;

/** A client reads a logout token at once, so it is valid for a short time. */
const LOGOUT_TOKEN_TTL_SECONDS = 120;

/** Whose roles a user has, and which of users' own fields its clients can get. */
export interface ForApplication {
  readonly code: string;
  readonly user_attributes?: readonly UserAttribute[] | undefined;
}

/** OIDC Core section 5.4: the claims of each scope. */
export function profileClaims(
  user: Profile,
  granted: readonly Scope[],
  form: ClaimsForm,
  { code: app, user_attributes: attributes }: ForApplication,
): Claims {
  const claims: Claims = { sub: user.sub };
  if (granted.includes('profile')) {
    claims.preferred_username = user.username;
    setText(claims, 'nickname', user.nickname, form);
    if (user.picture !== undefined) claims.picture = user.picture;
    claims.updated_at = form === 'standard' ? user.updatedAt : utcText(user.updatedAt);
    if (user.standardClaims) setStandardClaims(claims, user.standardClaims);
  }
  if (granted.includes('address') && user.standardClaims?.address) claims.address = user.standardClaims.address;
  if (granted.includes('email') && user.email !== undefined) {
    claims.email = user.email;
    claims.email_verified = user.emailVerified;
  }
  if (granted.includes('phone')) {
    const set = setText(claims, 'phone_number', user.phoneNumber, form);
    if (set) claims.phone_number_verified = user.phoneNumberVerified;
  }
  setAttributes(claims, attributes, user.standardClaims?.attributes, granted);
  return setMembership(claims, user, granted, app);
}

/**
 * Of every token that tells of a user, also an access token (RFC 9068 section 2.2.3.1). A user without any has empty lists: a client that
 * copies them learns that the last one was taken away.
 */
export function setMembership(claims: Claims, user: Profile, granted: readonly Scope[], app: string): Claims {
  if (granted.includes('groups')) claims.groups = groupsOf(user);
  if (granted.includes('roles')) claims.roles = rolesAt(app, user);
  return claims;
}

/** OIDC Core section 5.5: single standard claims beside those of the scopes; `amr` are the methods of the login. */
export function requestedClaims(
  user: Profile,
  names: readonly string[],
  form: ClaimsForm,
  app: string,
  amr: readonly string[] = [],
): Claims {
  if (names.length === 0) return {};
  const acr = acrOf(amr);
  const known: Claims = { ...profileClaims(user, scopes, form, { code: app }), ...(acr === undefined ? {} : { acr }) };
  return Object.fromEntries(names.filter(name => name in known).map(name => [name, known[name]]));
}

function setStandardClaims(claims: Claims, standard: StandardClaims): void {
  for (const name of profileStandardClaims) if (standard[name] !== undefined) claims[name] = standard[name];
}

function setText(claims: Claims, name: string, value: string | undefined, form: ClaimsForm): boolean {
  if (value === undefined && form === 'standard') return false;
  claims[name] = value ?? '';
  return true;
}

/** NumericDate to "YYYY-MM-DD HH:mm:ss", UTC. */
export function utcText(seconds: number): string {
  const date = new Date(seconds * 1000);
  const day = `${date.getUTCFullYear()}-${two(date.getUTCMonth() + 1)}-${two(date.getUTCDate())}`;
  return `${day} ${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`;
}

function two(part: number): string {
  return part < 10 ? `0${part}` : String(part);
}

/** The facts about a login that its ID tokens state. */
export interface Authentication {
  readonly sub: string;
  readonly clientId: string;
  readonly authTime: number;
  readonly amr: readonly string[];
  /** Undefined without a browser session (password grant). */
  readonly sid: string | undefined;
  readonly nonce: string | undefined;
}

/** What is issued in the same answer. */
export interface IssuedBeside {
  readonly accessToken?: string | undefined;
  readonly code?: string | undefined;
}

/** OIDC Core section 2, with `at_hash` and `c_hash` whenever an access token or a code is issued too (3.1.3.6, 3.2.2.9 and 3.3.2.11). */
export function idTokenClaims(
  issuer: string,
  login: Authentication,
  lifetime: { readonly iat: number; readonly exp: number },
  { accessToken, code }: IssuedBeside,
  alg: SigningAlg,
): Claims {
  const claims: Claims = {
    iss: issuer,
    sub: login.sub,
    aud: login.clientId,
    azp: login.clientId,
    iat: lifetime.iat,
    exp: lifetime.exp,
    auth_time: login.authTime,
    ...howAuthenticated(login.amr),
  };
  if (login.nonce !== undefined) claims.nonce = login.nonce;
  if (login.sid !== undefined) claims.sid = login.sid;
  if (accessToken !== undefined) claims.at_hash = leftHalfHash(accessToken, alg);
  if (code !== undefined) claims.c_hash = leftHalfHash(code, alg);
  return claims;
}

/** Tokens and introspection say in the same words how the user logged in. */
function howAuthenticated(amr: readonly string[]): Claims {
  const acr = acrOf(amr);
  return acr === undefined ? { amr } : { amr, acr };
}

/** OIDC Core section 3.1.3.6: the left half of a hash with the hash function of the signature (SHA-512 for Ed25519). */
export function leftHalfHash(token: string, alg: SigningAlg): string {
  const digest = hash(alg === 'EdDSA' ? 'sha512' : 'sha256', token, 'latin1');
  return Buffer.from(digest.slice(0, digest.length / 2), 'latin1').toString('base64url');
}

/** What a JWT access token states. */
export interface AccessTokenFacts {
  readonly sub: string;
  /** The API that it is for. */
  readonly audience?: string | undefined;
  readonly clientId: string;
  readonly scope: readonly Scope[];
  readonly iat: number;
  readonly exp: number;
  readonly jti: string;
  /** Undefined where no user logged in. */
  readonly authTime: number | undefined;
  /** How the user logged in (RFC 9068 section 2.2.1). */
  readonly amr?: readonly string[] | undefined;
  /** Who acts for the subject (RFC 8693 section 4.1). */
  readonly act?: Actor | undefined;
  readonly confirmation: Confirmation | undefined;
}

/** RFC 9068 section 2.2. Without an API, the audience is the issuer of the application: all its resource servers accept the token. */
export function accessTokenClaims(issuer: string, token: AccessTokenFacts): Claims {
  const claims: Claims = {
    iss: issuer,
    sub: token.sub,
    aud: token.audience ?? issuer,
    client_id: token.clientId,
    iat: token.iat,
    exp: token.exp,
    jti: token.jti,
  };
  // A scope has at least one token (RFC 6749 section 3.3).
  if (token.scope.length > 0) claims.scope = token.scope.join(' ');
  if (token.authTime !== undefined) claims.auth_time = token.authTime;
  if (token.amr !== undefined) Object.assign(claims, howAuthenticated(token.amr));
  if (token.act !== undefined) claims.act = token.act;
  if (token.confirmation !== undefined) claims.cnf = token.confirmation;
  return claims;
}

/**
 * OpenID Connect Back-Channel Logout section 2.4: short-lived, and without a nonce, so that no client takes it for an ID
 * token.
 */
export function logoutTokenClaims(
  issuer: string,
  session: { readonly sub: string; readonly sid: string; readonly clientId: string },
  { iat, jti }: { readonly iat: number; readonly jti: string },
): Claims {
  return {
    iss: issuer,
    aud: session.clientId,
    iat,
    exp: iat + LOGOUT_TOKEN_TTL_SECONDS,
    jti,
    sub: session.sub,
    sid: session.sid,
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
  };
}

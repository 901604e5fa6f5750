import type { Event } from '../../audit/events/rules.ts';
import type { Profile } from '../../directory/users/claims.rules.ts';
import type { RequestedClaims } from '../authorize/claims-request.rules.ts';
import type { ExchangeFacts } from '../token-exchange/rules.ts';
import type { GrantedApi } from './granted-api.rules.ts';
import type { Scope } from './scope.rules.ts';

/**
 * The access that one user granted to one client at one login, or that a client has for itself (client_credentials: `sub` is its
 * client_id), and all tokens that are issued for it. A row of the table grants.
 */
export interface TokenFamily {
  readonly clientId: string;
  readonly sub: string;
  readonly scope: readonly Scope[];
  readonly authTime: number;
  readonly amr: readonly string[];
  readonly sid: string | undefined;
  /** Single claims that were requested (OIDC Core section 5.5). */
  readonly claims: RequestedClaims;
  /** The APIs that it covers (RFC 8707). Undefined: none. */
  readonly resources?: readonly GrantedApi[] | undefined;
}

export interface NewToken {
  readonly hash: Uint8Array;
  readonly expiresAt: number;
}

export interface NewAccessToken extends NewToken {
  /** The API that it is for. Undefined: the issuer itself. */
  readonly audience?: string | undefined;
  /** Undefined: the scope of its family. */
  readonly scope?: readonly Scope[] | undefined;
}

/**
 * `targetInvalid`: the family does not cover what the request names. `proofMissing`: the API takes bound tokens only, and the request
 * has no proof (RFC 9449). `detailsInvalid`: it names authorization details that were not granted. `clientUnread`: the registration of the client has to be read first, and only the family names it.
 */
export type AccessRefusal = TargetRefusal | 'clientUnread';
export type TargetRefusal = 'targetInvalid' | 'proofMissing' | 'detailsInvalid';

/**
 * The access token of a family that covers APIs, or of a request that names one: audience, scope and lifetime depend on both. Called
 * again where a transaction runs twice; it returns the same token each time.
 */
export type AccessForApi = (family: TokenFamily) => NewAccessToken | AccessRefusal;

/** How a request decides the access token of a family that it presents a code or refresh token of. */
export interface RequestedTarget {
  /** `accessFor` decides: the request names an API, or its client has to be read before anything is spent. */
  readonly namesResource: boolean;
  readonly accessFor: AccessForApi;
}

/** The access token that a store writes for a family. */
export function accessOf(
  family: TokenFamily,
  { access, target }: { readonly access: NewAccessToken; readonly target?: RequestedTarget | undefined },
): NewAccessToken | AccessRefusal {
  const isPlanned = target !== undefined && (target.namesResource || family.resources !== undefined);
  return isPlanned ? target.accessFor(family) : access;
}

export interface NewTokens {
  readonly grantId: string;
  readonly issuedAt: number;
  readonly access: NewAccessToken;
  /** Undefined where the grant or the client has no refresh token. */
  readonly refresh: NewToken | undefined;
}

/**
 * `clientGone`: the client was deleted after the request read it, and nothing was issued. If the user was disabled or got another
 * password meanwhile, or the session ended, the outcome is `issued`, but nothing is stored: the code or token never works.
 */
export type IssueOutcome = 'issued' | 'clientGone';

export interface LiveToken {
  readonly clientId: string;
  /** The client_id where the token acts for the client itself (subject.rules.ts). */
  readonly sub: string;
  /** A space-separated list (RFC 6749 section 3.3). */
  readonly scope: string;
  /** The API that an access token is for. Undefined: the issuer itself. */
  readonly audience?: string | undefined;
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** How and when the user logged in, of an access token that is introspected. Undefined for an exchanged token without a user. */
  readonly login?: { readonly authTime: number; readonly amr: readonly string[] } | undefined;
  /** Of an access token that another one was exchanged for (RFC 8693), where it is introspected. */
  readonly exchange?: ExchangeFacts | undefined;
}

export interface TokenUser {
  readonly token: LiveToken;
  readonly user: Profile;
  readonly claims: RequestedClaims;
  /** As they are stored: userinfo looks at them only where it demands something of the login (RFC 9470). */
  readonly authTime: number | null;
  readonly amr: string | null;
}

/** A password that was right, in the password grant. */
export interface PasswordLogin {
  /** What the password was compared with. If it has changed, or the user is disabled, nothing is stored. */
  readonly passwordHash?: string | undefined;
  /** Written with the family. */
  readonly event?: Event | undefined;
}

export interface Tokens {
  /**
   * Starts a token family with its first tokens, without a code: for the implicit flow, the password grant (`login`) and
   * client_credentials.
   */
  addTokenFamily(app: string, family: TokenFamily, tokens: NewTokens, login?: PasswordLogin): Promise<IssueOutcome>;
  /** `caller`: the client that introspects. If it was deleted after it authenticated, the result is undefined. */
  findAccessToken(app: string, hash: Uint8Array, now: number, caller?: string): Promise<LiveToken | undefined>;
  findTokenUser(app: string, accessHash: Uint8Array, now: number): Promise<TokenUser | undefined>;
  /**
   * RFC 7009: revokes this token and those that it was exchanged for (a refresh token revokes its family), and only for the client that it was issued to. `event` is
   * written if there was something to revoke, and the user becomes its subject.
   */
  revokeAccessToken(app: string, hash: Uint8Array, clientId: string, event?: Event): Promise<void>;
}

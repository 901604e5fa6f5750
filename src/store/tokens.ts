import type { Profile } from '../protocol/claims.ts';
import type { RequestedClaims } from '../protocol/claims-request.ts';
import type { Scope } from '../protocol/scope.ts';

/** What the user agreed to, at one login, for one client. All tokens that come from it form a family. */
export interface TokenFamily {
  readonly clientId: string;
  readonly sub: string;
  readonly scope: readonly Scope[];
  readonly authTime: number;
  readonly amr: readonly string[];
  readonly sid: string | undefined;
  /** Asked for one by one (OIDC Core section 5.5). */
  readonly claims: RequestedClaims;
}

export interface NewToken {
  readonly hash: Uint8Array;
  readonly expiresAt: number;
}

export interface NewTokens {
  readonly grantId: string;
  readonly issuedAt: number;
  readonly access: NewToken;
  /** The implicit flow has none. */
  readonly refresh: NewToken | undefined;
}

/**
 * A client that was deleted since it was looked at is given nothing. A user who was disabled or got another password
 * meanwhile, or a session that ended, is no outcome: what is handed out is dead on arrival.
 */
export type GiveOutcome = 'given' | 'clientGone';

export interface LiveToken {
  readonly clientId: string;
  /** The client_id where the token acts for the client itself (protocol/subject.ts). */
  readonly sub: string;
  /** In words, as RFC 6749 section 3.3 writes it. */
  readonly scope: string;
  readonly issuedAt: number;
  readonly expiresAt: number;
}

export interface TokenUser {
  readonly token: LiveToken;
  readonly user: Profile;
  readonly claims: RequestedClaims;
}

export interface Tokens {
  /** Tokens without a code: the implicit flow, and the password grant with the stored hash that the password was right for. */
  addGrant(
    app: string,
    grant: TokenFamily,
    tokens: NewTokens,
    passwordHash?: string,
    receivedAt?: number,
  ): Promise<GiveOutcome>;
  /** `caller`: the client that wants to know. One that was deleted since it proved itself is told nothing. */
  findAccessToken(
    app: string,
    hash: Uint8Array,
    now: number,
    caller?: string,
    receivedAt?: number,
  ): Promise<LiveToken | undefined>;
  findTokenUser(app: string, accessHash: Uint8Array, now: number, receivedAt?: number): Promise<TokenUser | undefined>;
  /** RFC 7009: an access token goes alone, a refresh token takes its family along. Only its own client may. */
  revokeAccessToken(app: string, hash: Uint8Array, clientId: string, receivedAt?: number): Promise<void>;
}

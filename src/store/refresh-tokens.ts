import type { Profile } from '../protocol/claims.ts';
import type { PresentedRefresh, RefreshVerdict } from '../protocol/refresh-policy.ts';
import type { Scope } from '../protocol/scope.ts';
import type { LiveToken, NewToken, TokenFamily } from './tokens.ts';

export interface Rotation {
  readonly tokenHash: Uint8Array;
  readonly presented: PresentedRefresh;
  readonly issuedAt: number;
  readonly access: NewToken;
  /** The successor under each server secret, newest first: the first is written, any may be found again. */
  readonly successors: readonly Uint8Array[];
  /** Unless the family ends before. */
  readonly successorExpiresAt: number;
  /** Whether the ID token says who the user is, beside what the grant asks for one by one. */
  readonly withUser: boolean;
}

/** `user` comes along `withUser`, and where the grant asks for single claims; it is not read otherwise. */
export type RotateOutcome =
  | {
      /** `repeated`: it was rotated before, and this is the successor of then. */
      readonly kind: 'rotated' | 'repeated';
      readonly grant: TokenFamily;
      readonly user: Profile | undefined;
      readonly successor: Uint8Array;
    }
  /** Rotation is off: the presented token stays. */
  | { readonly kind: 'kept'; readonly grant: TokenFamily; readonly user: Profile | undefined }
  /** The family is revoked. `sub`: whose it was. */
  | { readonly kind: 'reused'; readonly sub: string }
  /** Nothing was spent. `granted`: what the token is good for. */
  | { readonly kind: 'scopeWider'; readonly granted: readonly Scope[] }
  | { readonly kind: 'refused'; readonly verdict: Extract<RefreshVerdict, 'invalid' | 'expired'> };

/** A refresh token that was not rotated, and when its family began: no token of a family outlives refresh_family_ttl. */
export interface LiveRefreshToken extends LiveToken {
  readonly familyStartedAt: number;
}

export interface RefreshTokens {
  /** Of callers that race, or retry within the grace period, one sees `rotated` and the others `repeated`, all with its successor. */
  rotateRefreshToken(app: string, rotation: Rotation, receivedAt?: number): Promise<RotateOutcome>;
  /** Undefined also for a rotated token, grace or not. */
  findRefreshToken(
    app: string,
    hash: Uint8Array,
    now: number,
    caller?: string,
    receivedAt?: number,
  ): Promise<LiveRefreshToken | undefined>;
  revokeRefreshToken(app: string, hash: Uint8Array, clientId: string, now: number, receivedAt?: number): Promise<void>;
}

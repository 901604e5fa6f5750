import type { Event } from '../../audit/events/rules.ts';
import type { Profile } from '../../directory/users/claims.rules.ts';
import type { Scope } from '../token/scope.rules.ts';
import type { AccessRefusal, LiveToken, NewToken, RequestedTarget, TokenFamily } from '../token/store.ts';
import type { PresentedRefresh, RefreshVerdict } from './rules.ts';

export interface Rotation {
  readonly tokenHash: Uint8Array;
  readonly presented: PresentedRefresh;
  readonly issuedAt: number;
  readonly access: NewToken;
  readonly target?: RequestedTarget | undefined;
  /** The successor under each server secret, newest first: the first is written, any may be found again. */
  readonly successors: readonly Uint8Array[];
  /** Unless the family ends before. */
  readonly successorExpiresAt: number;
  /**
   * Given where the user is read: for the claims of a token, or for `isAllowed`, which says whether the user may have tokens of this
   * application (it changes nothing; undefined: everybody may). Undefined: the user is read only where single claims were requested.
   */
  readonly user?: { readonly isAllowed: ((user: Profile) => boolean) | undefined } | undefined;
  /** Makes the event of a reuse that revokes the family, or of a retry; a plain rotation has none. */
  readonly event?: ((type: 'refresh.reused' | 'refresh.repeated', family: TokenFamily) => Event) | undefined;
}

/** `user`: undefined where it was not read (see Rotation). */
export type RotateOutcome =
  | {
      /** `repeated`: the token was rotated before, and this is the successor that it got then. */
      readonly kind: 'rotated' | 'repeated';
      readonly family: TokenFamily;
      readonly user: Profile | undefined;
      readonly successor: Uint8Array;
    }
  /** Rotation is off: the presented token stays. */
  | { readonly kind: 'kept'; readonly family: TokenFamily; readonly user: Profile | undefined }
  /** The family is revoked. `sub`: its user. */
  | { readonly kind: 'reused'; readonly sub: string }
  /** The user has no access to the application any more. Nothing was changed. */
  | { readonly kind: 'notAllowed'; readonly sub: string }
  /** Nothing was changed. `granted`: the scope of the family. */
  | { readonly kind: 'scopeWider'; readonly granted: readonly Scope[] }
  | { readonly kind: 'refused'; readonly verdict: Extract<RefreshVerdict, 'invalid' | 'expired'> | AccessRefusal };

/** A refresh token that was not rotated, and when its family began: no refresh token outlives refresh_family_ttl. */
export interface LiveRefreshToken extends LiveToken {
  readonly familyStartedAt: number;
}

export interface RefreshTokens {
  /**
   * Of concurrent calls, or retries within the grace period, one returns `rotated` and the others `repeated`, with the same
   * successor.
   */
  rotateRefreshToken(app: string, rotation: Rotation): Promise<RotateOutcome>;
  /** Undefined also for a rotated token, even within the grace period. */
  findRefreshToken(app: string, hash: Uint8Array, now: number, caller?: string): Promise<LiveRefreshToken | undefined>;
  /** `event`: as for revokeAccessToken. */
  revokeRefreshToken(app: string, hash: Uint8Array, clientId: string, now: number, event?: Event): Promise<void>;
}

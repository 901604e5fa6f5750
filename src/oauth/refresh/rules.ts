import type { AuthMethod } from '../../directory/clients/rules.ts';
import type { Scope } from '../token/scope.rules.ts';

/**
 * Refresh token rotation with safe retries (RFC 9700 section 4.14.2, row 41). The states of a token:
 *
 *   current ──rotate──▶ rotated ──used again within the grace period, successor unused──▶ rotated (the same successor again)
 *                          └────used again later, or after the successor was used──▶ the whole family is revoked
 */
export interface RefreshFacts {
  readonly clientId: string;
  readonly scope: readonly Scope[];
  readonly expiresAt: number;
  /** When this token was replaced by its successor; undefined: it is the current token of its family. */
  readonly rotatedAt: number | undefined;
  /** The successor has been used. */
  readonly successorUsed: boolean;
  readonly familyStartedAt: number;
}

export interface PresentedRefresh {
  readonly clientId: string;
  /** Undefined if the request has no scope: the whole granted scope. */
  readonly scope: readonly Scope[] | undefined;
  readonly rotation: boolean;
  readonly grace: number;
  readonly familyTtl: number;
}

export type RefreshVerdict =
  | 'rotate'
  /** Rotation is off for this client: the same token stays valid. */
  | 'keep'
  /**
   * Rotated within the grace period, and the successor is unused: a lost response or a second tab. The same successor is
   * returned.
   */
  | 'repeat'
  /** Rotated, and this cannot be a retry: the token may have been stolen. The family is revoked. */
  | 'reused'
  | 'expired'
  | 'invalid'
  | 'scopeWider';

export function judgeRefresh(token: RefreshFacts, presented: PresentedRefresh, now: number): RefreshVerdict {
  if (presented.clientId !== token.clientId) return 'invalid';
  if (now >= Math.min(token.expiresAt, familyEnd(token, presented))) return 'expired';
  const { rotatedAt } = token;
  if (rotatedAt !== undefined && !isRetry(rotatedAt, token.successorUsed, presented.grace, now)) return 'reused';
  if (presented.scope?.some(scope => !token.scope.includes(scope))) return 'scopeWider';
  if (rotatedAt !== undefined) return 'repeat';
  return presented.rotation ? 'rotate' : 'keep';
}

/**
 * The time at which every refresh token of the family ends, however often it was refreshed. An access token has an end of its own, in its
 * stamp, which is made before the family is known.
 */
export function familyEnd(
  { familyStartedAt }: Pick<RefreshFacts, 'familyStartedAt'>,
  { familyTtl }: Pick<PresentedRefresh, 'familyTtl'>,
): number {
  return familyStartedAt + familyTtl;
}

/**
 * If the successor was used, the client has received it, so the old token is no retry of a client that lost the response. A grace
 * period of 0 allows no retry at all, not even if the clock of this node is behind.
 */
function isRetry(rotatedAt: number, successorUsed: boolean, grace: number, now: number): boolean {
  return !successorUsed && grace > 0 && now - rotatedAt < grace;
}

/** Half a year, in seconds. Also of applications that were stored before there was such a setting. */
export const DEFAULT_REFRESH_FAMILY_TTL = 15_552_000;

/** In seconds. Longer than a client takes to repeat a request. */
export const MAX_REFRESH_GRACE = 120;

/** In seconds. A public client has no secret to prove that the retry is its own, so its grace period is shorter. */
export function defaultRefreshGrace(method: AuthMethod): number {
  return method === 'none' ? 10 : 30;
}

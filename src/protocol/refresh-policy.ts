import type { AuthMethod, Client } from './client.ts';
import type { Scope } from './scope.ts';

/** Refresh tokens rotate, and a retry is safe (RFC 9700 section 4.14.2, and row 41 of the decisions). */
export interface RefreshFacts {
  readonly clientId: string;
  readonly scope: readonly Scope[];
  readonly expiresAt: number;
  /** When this token was replaced by its successor. */
  readonly rotatedAt: number | undefined;
  /** The successor was replaced itself. */
  readonly successorUsed: boolean;
  readonly familyStartedAt: number;
}

export interface PresentedRefresh {
  readonly clientId: string;
  /** Undefined when the request named no scope: the whole grant. */
  readonly scope: readonly Scope[] | undefined;
  readonly rotation: boolean;
  readonly grace: number;
  readonly familyTtl: number;
}

export type RefreshVerdict =
  | 'rotate'
  /** Rotation is off for the client: the same token stays good. */
  | 'keep'
  /** Rotated a moment ago, and nobody has used the successor: a lost answer or a second tab. It gets the same successor. */
  | 'repeat'
  /** Rotated, and shown again when that cannot be a retry: somebody else has a copy. The family ends. */
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

/** No token of a family outlives this, however often it is refreshed. */
export function familyEnd(
  { familyStartedAt }: Pick<RefreshFacts, 'familyStartedAt'>,
  { familyTtl }: Pick<PresentedRefresh, 'familyTtl'>,
): number {
  return familyStartedAt + familyTtl;
}

/**
 * Whoever used the successor has the answer, so the old token does not come from a client that lost it. Without grace there is
 * no retry, not even for a node whose clock is behind.
 */
function isRetry(rotatedAt: number, successorUsed: boolean, grace: number, now: number): boolean {
  return !successorUsed && grace > 0 && now - rotatedAt < grace;
}

/** Half a year, in seconds. Also of applications that were stored before there was such a setting. */
export const DEFAULT_REFRESH_FAMILY_TTL = 15_552_000;

/** Longer than any honest client takes to repeat a request, in seconds. */
export const MAX_REFRESH_GRACE = 120;

/** A public client cannot prove to be the one that lost its answer, so it has less time to ask again. */
export function defaultRefreshGrace(method: AuthMethod): number {
  return method === 'none' ? 10 : 30;
}

/** A client that an earlier release stored, within the limits that registration has today. */
export function withRefreshLimits(client: Client): Client {
  return {
    ...client,
    refresh_token_grace: Math.min(client.refresh_token_grace, MAX_REFRESH_GRACE),
    // RFC 9700 section 2.2.2: nothing but rotation shows that the refresh token of a public client was stolen.
    refresh_token_rotation: client.refresh_token_rotation || client.token_endpoint_auth_method === 'none',
  };
}

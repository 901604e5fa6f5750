import type { Scope } from './scope.ts';

/** Refresh tokens rotate, and a retry is safe (RFC 9700 section 4.14.2, and row 41 of the decisions). */
export interface RefreshFacts {
  readonly clientId: string;
  readonly scope: readonly Scope[];
  readonly expiresAt: number;
  /** When this token was replaced by its successor. */
  readonly rotatedAt: number | undefined;
}

export interface PresentedRefresh {
  readonly clientId: string;
  /** Undefined when the request named no scope: the whole grant. */
  readonly scope: readonly Scope[] | undefined;
  readonly rotation: boolean;
  readonly grace: number;
}

export type RefreshVerdict =
  | 'rotate'
  /** Rotation is off for the client: the same token stays good. */
  | 'keep'
  /** Already rotated a moment ago: a lost answer or a second tab. It gets the same successor. */
  | 'repeat'
  /** Rotated long ago and shown again: somebody else has a copy. The family ends. */
  | 'reused'
  | 'expired'
  | 'invalid'
  | 'scopeWider';

export function judgeRefresh(token: RefreshFacts, presented: PresentedRefresh, now: number): RefreshVerdict {
  if (presented.clientId !== token.clientId) return 'invalid';
  if (now >= token.expiresAt) return 'expired';
  // Without grace there is no retry, not even for a node whose clock is behind.
  const retry = presented.grace > 0 && token.rotatedAt !== undefined && now - token.rotatedAt < presented.grace;
  if (token.rotatedAt !== undefined && !retry) return 'reused';
  if (presented.scope?.some(scope => !token.scope.includes(scope))) return 'scopeWider';
  if (retry) return 'repeat';
  return presented.rotation ? 'rotate' : 'keep';
}

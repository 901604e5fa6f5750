import type { Event } from '../../audit/events/rules.ts';
import type { Profile } from '../../directory/users/claims.rules.ts';
import type { GrantedApi } from '../token/granted-api.rules.ts';
import type { Scope } from '../token/scope.rules.ts';
import type { NewTokens, TokenFamily } from '../token/store.ts';
import type { PolledState, PollVerdict } from './rules.ts';

/** What a person approves. */
export interface Approval {
  readonly sub: string;
  /** The session of the person. If it has ended meanwhile, nothing is approved. */
  readonly sid: string;
  readonly authTime: number;
  readonly amr: readonly string[];
  /** What the client gets: what it asked for, as far as the page has shown it. */
  readonly scope: readonly Scope[];
  readonly resources: readonly GrantedApi[] | undefined;
  /** What the person agreed to, as it is remembered (people/consent/rules.ts). */
  readonly consented: readonly string[];
  readonly events: readonly Event[];
}

export type Decision =
  | (Approval & { readonly kind: 'approve' })
  | { readonly kind: 'deny'; readonly events: readonly Event[] };

/** `decided`: somebody has decided before, who approved if there is a `sub`. `signedOut`: the session of the person has ended. */
export type DecideOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'gone' }
  | { readonly kind: 'signedOut' }
  | { readonly kind: 'decided'; readonly state: Exclude<PolledState, 'pending'>; readonly sub: string | undefined };

export type Polled =
  | { readonly kind: 'unknown' }
  | { readonly kind: Exclude<PollVerdict, 'approved' | 'slowDown'> }
  /** `interval`: what it is from now on. */
  | { readonly kind: 'slowDown'; readonly interval: number }
  | { readonly kind: 'approved'; readonly family: TokenFamily; readonly user: Profile };

/** A poll that comes too early raises the interval, on all nodes. */
export type Poll = (app: string, hash: Uint8Array, clientId: string, now: number) => Promise<Polled>;

/**
 * Exactly one of any number of calls returns `redeemed`; the token family and its tokens then exist. `gone`: another call was first, or
 * the access of the user ended meanwhile.
 */
export type Redeem = (
  app: string,
  hash: Uint8Array,
  family: TokenFamily,
  tokens: NewTokens,
) => Promise<'redeemed' | 'gone' | 'clientGone'>;

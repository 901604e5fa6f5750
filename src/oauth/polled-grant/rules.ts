/** Polls of a client that waits until a person has decided elsewhere: a device (RFC 8628), or a backchannel request (CIBA). */

/** RFC 8628 section 3.5, CIBA section 7.3: the least time between two polls, and what a poll that comes too early adds to it. */
export const POLL_INTERVAL_SECONDS = 5;
export const SLOW_DOWN_SECONDS = 5;
/** The server counts whole seconds, and the network delays one request more than the next. */
const POLL_TOLERANCE_SECONDS = 1;

/** `redeemed`: the client has its tokens. */
export type PolledState = 'pending' | 'approved' | 'denied' | 'redeemed';

/** What the server knows of what a client polls for. */
export interface PollFacts {
  readonly clientId: string;
  readonly state: PolledState;
  readonly expiresAt: number;
  readonly interval: number;
  /** Undefined: this is the first poll. */
  readonly polledAt: number | undefined;
}

/** `invalid`: of another client. */
export type PollVerdict = 'invalid' | 'redeemed' | 'expired' | 'denied' | 'slowDown' | 'pending' | 'approved';

/**
 * RFC 8628 section 3.5, CIBA section 11. What is decided is told at once: the interval limits the polls of a client that waits. A denial is
 * told also after the end, because the client would ask for nothing better.
 */
export function judgePoll(facts: PollFacts, clientId: string, now: number): PollVerdict {
  if (facts.clientId !== clientId) return 'invalid';
  if (facts.state === 'redeemed' || facts.state === 'denied') return facts.state;
  if (now >= facts.expiresAt) return 'expired';
  if (facts.state === 'approved') return 'approved';
  return isTooEarly(facts, now) ? 'slowDown' : 'pending';
}

function isTooEarly({ polledAt, interval }: PollFacts, now: number): boolean {
  return polledAt !== undefined && now - polledAt < interval - POLL_TOLERANCE_SECONDS;
}

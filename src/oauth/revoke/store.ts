import type { Event } from '../../audit/events/rules.ts';

/**
 * The family of a code or refresh token that was presented again. It must be revoked (RFC 6749 section 4.1.2, RFC 9700 section 4.14.2),
 * also if the database fails at that moment: an attacker does not present the code a second time.
 */
export interface ReplayedFamily {
  /** The application as its rows have it: on Citus perhaps with its part (platform/store/application-parts.ts). */
  readonly part: string;
  readonly grantId: string;
  readonly replayedAt: number;
  /** Recorded if this is what revokes the family. */
  readonly event: Event | undefined;
  /**
   * The access token that the request would have got. If it exists, an earlier attempt of this request rotated the token and its answer was
   * lost: no replay. Undefined: it is known to be one.
   */
  readonly unlessIssued?: Uint8Array | undefined;
}

export interface WaitingRevocation extends ReplayedFamily {
  /** The application of the part. */
  readonly app: string;
  /** With the one that this lease is for. */
  readonly attempts: number;
}

/**
 * Revocations that failed where the replay was seen, and that any node repeats until they are done. An embedded store revokes in the
 * transaction that sees the replay: it has such rows only if they were copied from elsewhere.
 */
export interface WaitingRevocations {
  /** For a family that waits already, nothing changes. */
  addRevocation(family: ReplayedFamily): Promise<void>;
  /** Takes due ones for this caller alone, those with the fewest attempts first: no other call returns them before `leaseUntil`. */
  takeRevocations(now: number, leaseUntil: number, limit: number): Promise<WaitingRevocation[]>;
  /** Revokes the family, records the event and deletes the row, all or nothing. For a family that is revoked, only the row goes. */
  finishRevocation(family: ReplayedFamily): Promise<void>;
  countWaitingRevocations(): Promise<number>;
}

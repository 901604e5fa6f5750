import type { Event } from '../../audit/events/rules.ts';

/** How far a target is. */
export interface EventStreamState {
  readonly target: string;
  /** Sealed events that it has not got. */
  readonly waiting: number;
  readonly failures: number;
  readonly failingSince: number | undefined;
  /** Why the last attempt failed. */
  readonly reason: string | undefined;
  /** Not before then is it tried again. */
  readonly dueAt: number;
  /** A server that is set to send there was running then, to the hour. */
  readonly seenAt: number;
}

export interface NumberedEvent {
  readonly seq: number;
  readonly event: Event;
}

export interface StreamLease {
  readonly target: string;
  /** The process. */
  readonly holder: string;
  readonly leaseUntil: number;
}

export interface EventStreams {
  /** Adds those that are new, each from the first event on that is not sealed yet, and notes that all of them are in use. */
  keepEventStreams(targets: readonly string[], now: number): Promise<void>;
  listEventStreams(): Promise<EventStreamState[]>;
  /** The next events of a target that is due, for one process alone until its lease ends. Undefined: another process has it. */
  takeEvents(lease: StreamLease, now: number, limit: number): Promise<readonly NumberedEvent[] | undefined>;
  /** The target has got all of them up to this one. False: another process has taken over meanwhile. */
  finishEvents(lease: StreamLease, lastSeq: number): Promise<boolean>;
  /** The target did not take them. Any process may try again at `retryAt`. */
  failEvents(lease: StreamLease, reason: string, retryAt: number, now: number): Promise<void>;
  /** Ends the leases of a process that stops, so that another one goes on at once. */
  releaseEventStreams(holder: string): Promise<void>;
}

import type { PageAfter } from '../../operators/roles/store.ts';
import type { Event } from './rules.ts';

/** Which events a list has; a field that is not set does not restrict it. */
export interface EventFilter {
  readonly types?: readonly string[] | undefined;
  /** Codes of applications: an operator may be limited to some. Events of no application are then left out. */
  readonly apps?: readonly string[] | undefined;
  readonly clientId?: string | undefined;
  /** The user to whom something was done: the `sub`. */
  readonly user?: string | undefined;
  /** The operator who acted: the `sub`. */
  readonly operator?: string | undefined;
  readonly requestId?: string | undefined;
  /** Whole seconds: not before `from`, and before `to`. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/**
 * The columns of an event exactly as they are stored, for the chain: id, time, type, outcome, actor_kind, actor, subject, app, client_id,
 * address, user_agent, request_id, details (JSON as text).
 */
export type EventCells = readonly (string | number | null)[];

export interface UnsealedEvent {
  readonly id: string;
  readonly time: number;
  readonly cells: EventCells;
}

/** `hash` covers the number, the cells and the hash of the event before it (chain.ts). */
export interface SealedEvent extends UnsealedEvent {
  readonly seq: number;
  readonly hash: Uint8Array;
}

/** How far the chain is sealed, and how far its beginning was pruned. `mac` authenticates the rest. */
export interface ChainHead {
  readonly lastSeq: number;
  readonly lastHash: Uint8Array;
  readonly prunedSeq: number;
  readonly prunedHash: Uint8Array;
  readonly mac: Uint8Array;
}

/** The chain at one moment. */
export interface ChainState {
  readonly head: ChainHead | undefined;
  /** The first and the last number that any row has. */
  readonly minSeq: number | undefined;
  readonly maxSeq: number | undefined;
  /** The first event, by its id, that is not sealed yet. */
  readonly unsealed: Pick<Event, 'id' | 'time'> | undefined;
}

export interface NextSeals {
  readonly seals: readonly { readonly id: string; readonly seq: number; readonly hash: Uint8Array }[];
  readonly head: ChainHead;
}

/**
 * The audit log. Operations that do something write its event themselves, in their transaction; `recordEvents` is for what has no
 * transaction. Events are sealed into the chain later, so that logins on many nodes do not wait for each other.
 */
export interface Events {
  /** An event whose id exists already is not written again. */
  recordEvents(events: readonly Event[]): Promise<void>;
  /** Newest first; `after` is the id of the last event of the page before. */
  listEvents(filter: EventFilter, page: PageAfter): Promise<Event[]>;
  chainState(): Promise<ChainState>;
  /** In order of their number, after this one. */
  sealedEvents(afterSeq: number, limit: number): Promise<SealedEvent[]>;
  /**
   * Seals the first events that are not sealed yet. Only one caller at a time does so. `seal` may be called more than once; undefined:
   * nothing is written. Returns how many were sealed.
   */
  sealEvents(
    limit: number,
    seal: (state: ChainState, events: readonly UnsealedEvent[]) => NextSeals | undefined,
  ): Promise<number>;
  /**
   * Deletes the beginning of the chain: the first `limit` sealed events, up to the first one that is not older than `before`. `prune`
   * gets them and returns the head without them; undefined: nothing is deleted. Returns how many were deleted.
   */
  pruneEvents(
    before: number,
    limit: number,
    prune: (head: ChainHead, events: readonly SealedEvent[]) => ChainHead | undefined,
  ): Promise<number>;
}

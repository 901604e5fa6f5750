import type { EventType } from '../../events.ts';

/** The audit log: one event for each act that matters to security. An event never holds a secret. */

/** `denied`: the rules forbade it. `failure`: the attempt was wrong, such as a wrong password. */
export type EventOutcome = 'success' | 'failure' | 'denied';

export type ActorKind = 'user' | 'client' | 'operator' | 'api_key' | 'system';

/** Who or what acted: a user by `sub`, a client by its id, an operator by `sub`, an API key by its id; the command line is `system`. */
export interface Actor {
  readonly kind: ActorKind;
  readonly id?: string | undefined;
}

export interface Event {
  /** Begins with the time, so that ids sort by time. */
  readonly id: string;
  /** Whole seconds since the Unix epoch. */
  readonly time: number;
  readonly type: EventType;
  readonly outcome: EventOutcome;
  readonly actor: Actor;
  /** What it was done to: the user's `sub`, or the id of another object. */
  readonly subject?: string | undefined;
  readonly app?: string | undefined;
  readonly clientId?: string | undefined;
  readonly address?: string | undefined;
  readonly userAgent?: string | undefined;
  readonly requestId?: string | undefined;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

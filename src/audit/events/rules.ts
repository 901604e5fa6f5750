/**
 * The audit log: one event for each act that matters to security. The list of types is closed; docs/events.md describes each, and
 * the names are part of the contract with webhooks and scripts. An event never holds a secret.
 */
export const eventTypes = [
  'user.login.succeeded',
  'user.login.failed',
  'user.login.denied',
  'user.created',
  'user.updated',
  'user.deleted',
  'user.disabled',
  'user.enabled',
  'user.password.changed',
  'user.password.reset.requested',
  'user.invited',
  'user.email.verified',
  'user.email.changed',
  'user.email.restored',
  'user.email.undo_revoked',
  'user.signed_out',
  'factor.added',
  'factor.removed',
  'factor.used',
  'browser.trusted',
  'browser.distrusted',
  'session.ended',
  'consent.given',
  'consent.withdrawn',
  'device.approved',
  'device.denied',
  'grant.revoked',
  'code.replayed',
  'refresh.reused',
  'refresh.repeated',
  'token.revoked',
  'token.exchanged',
  'client.authentication.failed',
  'application.created',
  'application.updated',
  'application.deleted',
  'application.restored',
  'client.created',
  'client.updated',
  'client.deleted',
  'client.secret.created',
  'client.secret.deleted',
  'initial_access_token.created',
  'initial_access_token.deleted',
  'key.rotated',
  'key.deleted',
  'operator.added',
  'operator.updated',
  'operator.removed',
  'api_key.created',
  'api_key.deleted',
  'webhook.created',
  'webhook.updated',
  'webhook.deleted',
  'webhook.paused',
  'webhook.tested',
  'webhook.redelivered',
  'mail.undelivered',
  'configuration.applied',
  'events.dropped',
] as const;

export type EventType = (typeof eventTypes)[number];

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

import type { Event } from '../protocol/event.ts';

/** Subscriptions to events, and the queue of their deliveries. */
export interface Webhook {
  readonly id: string;
  /** Undefined: events of all applications, and those that belong to none. */
  readonly app: string | undefined;
  readonly url: string;
  readonly description: string;
  /** Undefined: every type. */
  readonly eventTypes: readonly string[] | undefined;
  /** Deliveries are sent in the order of their events, one at a time. */
  readonly ordered: boolean;
  readonly sealedSecrets: Uint8Array;
  /** Undefined: active. While it is paused nothing is sent, and no event is skipped. */
  readonly pauseReason: PauseReason | undefined;
  /** The first failure since the last success. */
  readonly failingSince: number | undefined;
  readonly createdAt: number;
}

/** `gone`: the endpoint answered 410. */
export type PauseReason = 'operator' | 'failing' | 'gone';

export type DeliveryState = 'pending' | 'delivered' | 'failed';

export interface NewDelivery {
  readonly id: string;
  /** The `webhook-id` of every attempt. */
  readonly eventId: string;
  readonly type: string;
  readonly body: string;
}

export interface Delivery extends NewDelivery {
  readonly webhookId: string;
  readonly state: DeliveryState;
  /** Since it was enqueued, or since the subscription was resumed. */
  readonly attempts: number;
  /** When it is sent again; undefined: it is finished. */
  readonly dueAt: number | undefined;
  /** Of the last answer. */
  readonly status: number | undefined;
  /** Why the last attempt failed. */
  readonly reason: string | undefined;
  readonly createdAt: number;
  readonly finishedAt: number | undefined;
}

export interface WebhookPage {
  /** Only subscriptions of these applications. Undefined: all. */
  readonly apps?: readonly string[] | undefined;
  /** The id of the last one of the page before. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** Newest first. */
export interface DeliveryPage {
  readonly state?: DeliveryState | undefined;
  /** The id of the last one of the page before. */
  readonly before?: string | undefined;
  readonly limit: number;
}

/** What `decide` makes of the current subscription: the new one with the event of the change, or a refusal of the caller's own kind. */
export type WebhookDecision<Refusal> =
  | { readonly kind: 'change'; readonly webhook: Webhook; readonly event: Event }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

export type WebhookDeletion<Refusal> =
  | { readonly kind: 'delete'; readonly event: Event }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

export type WebhookOutcome<Refusal> =
  | { readonly kind: 'done'; readonly webhook: Webhook }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

export type DeliveryOutcome =
  | { readonly kind: 'done'; readonly delivery: Delivery }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'paused' }
  /** As many deliveries as allowed are waiting. */
  | { readonly kind: 'full' };

/** An active subscription for which there is something to do. */
export interface WebhookWork {
  readonly id: string;
  readonly isFailing: boolean;
  /** There are sealed events that it has not looked at. */
  readonly isBehind: boolean;
  readonly hasDue: boolean;
}

export interface FanOutLimits {
  /** Events looked at in one call. */
  readonly events: number;
  /** Unfinished deliveries of the subscription. Further events wait in the log. */
  readonly waiting: number;
}

export interface FanOut {
  readonly enqueued: number;
  /** More can be enqueued at once. */
  readonly isBehind: boolean;
}

export interface FailedAttempt {
  readonly webhookId: string;
  readonly id: string;
  /** As `takeDeliveries` returned it. The report of an attempt whose lease has expired since changes nothing. */
  readonly attempts: number;
  readonly status: number | undefined;
  readonly reason: string;
  /** Undefined: it was the last attempt. */
  readonly retryAt: number | undefined;
}

export interface Pause {
  readonly reason: PauseReason;
  readonly event: Event;
}

export interface Webhooks {
  /** It begins with the first event that is not sealed yet. `tooMany`: there are `limit` subscriptions already. */
  addWebhook(
    webhook: Webhook,
    event: Event,
    limit: number,
    receivedAt?: number,
  ): Promise<{ readonly kind: 'done' } | { readonly kind: 'tooMany' }>;
  findWebhook(id: string, receivedAt?: number): Promise<Webhook | undefined>;
  /** In the order of their ids. */
  listWebhooks(page: WebhookPage, receivedAt?: number): Promise<Webhook[]>;
  /**
   * `decide` sees the current subscription, and no other change happens in between. A subscription that is resumed has no failures,
   * and everything that waits is due.
   */
  changeWebhook<Refusal>(
    id: string,
    decide: (current: Webhook) => WebhookDecision<Refusal>,
    now: number,
    receivedAt?: number,
  ): Promise<WebhookOutcome<Refusal>>;
  /** With its deliveries. */
  deleteWebhook<Refusal>(
    id: string,
    decide: (current: Webhook) => WebhookDeletion<Refusal>,
    receivedAt?: number,
  ): Promise<WebhookOutcome<Refusal>>;

  /** The active subscriptions that are behind or have deliveries to send. */
  webhookWork(now: number): Promise<WebhookWork[]>;
  /**
   * Takes the next sealed events in the order of `seq` and enqueues a delivery of each that the subscription is for. Atomic: an event
   * is enqueued once, whichever nodes call this at the same time.
   */
  enqueueDeliveries(
    id: string,
    limits: FanOutLimits,
    now: number,
    newDelivery: (event: Event) => NewDelivery,
  ): Promise<FanOut>;
  /** Enqueues a delivery that has no place in the order of events, such as a test. */
  addDelivery(
    webhookId: string,
    delivery: NewDelivery,
    maxWaiting: number,
    now: number,
    receivedAt?: number,
  ): Promise<DeliveryOutcome>;
  /**
   * Takes due deliveries for this caller alone: no other call returns them before `leaseUntil`. Of an ordered subscription only the
   * oldest unfinished one can be taken, besides those that have no place in the order. Undefined: paused or deleted.
   */
  takeDeliveries(
    webhookId: string,
    now: number,
    leaseUntil: number,
    limit: number,
  ): Promise<{ readonly webhook: Webhook; readonly deliveries: readonly Delivery[] } | undefined>;
  /** The endpoint took it. The subscription is not failing any more. */
  finishDelivery(webhookId: string, id: string, status: number, now: number): Promise<void>;
  /**
   * The endpoint did not take it. `pause` sees the subscription with this failure and decides whether it is paused from now on; the
   * event is written with it. Returns whether it was paused.
   */
  failDelivery(
    attempt: FailedAttempt,
    now: number,
    pause: (webhook: Webhook) => Pause | undefined,
  ): Promise<{ readonly paused: boolean }>;

  listDeliveries(webhookId: string, page: DeliveryPage, receivedAt?: number): Promise<Delivery[]>;
  findDelivery(webhookId: string, id: string, receivedAt?: number): Promise<Delivery | undefined>;
  /** A finished delivery is sent again as a new one with the id `newId`; one that waits is due at once. */
  redeliver(
    webhookId: string,
    id: string,
    newId: string,
    maxWaiting: number,
    now: number,
    receivedAt?: number,
  ): Promise<DeliveryOutcome>;
}

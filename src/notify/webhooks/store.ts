import type { AlreadyAnswered, Change } from '../../audit/acts/store.ts';
import type { Event } from '../../audit/events/rules.ts';
import type { PageAfter } from '../../operators/roles/store.ts';

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

export interface WebhookPage extends PageAfter {
  /** Only subscriptions of these applications. Undefined: all. */
  readonly among?: readonly string[] | undefined;
}

/** The deliveries before the one with the id `after`: newest first. */
export interface DeliveryPage extends PageAfter {
  readonly state?: DeliveryState | undefined;
}

/** What a change of a subscription depends on, read in its transaction. */
export interface WebhookFacts {
  readonly current: Webhook | undefined;
  /** Of all applications. */
  readonly subscriptions: number;
}

/** What a delivery that an operator asks for depends on, read in its transaction. */
export interface DeliveryFacts {
  readonly webhook: Webhook | undefined;
  /** The one that is to be repeated. */
  readonly delivery: Delivery | undefined;
  /** Unfinished deliveries of the subscription. */
  readonly waiting: number;
}

/** A new one has no place in the order of events. `dueNow`: the one that was asked for waits already, and is sent at once. */
export type DeliveryWrite = { readonly kind: 'add'; readonly delivery: NewDelivery } | { readonly kind: 'dueNow' };

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
  findWebhook(id: string): Promise<Webhook | undefined>;
  /** In the order of their ids. */
  listWebhooks(page: WebhookPage): Promise<Webhook[]>;
  /**
   * Adds a subscription, changes it, or deletes it with its deliveries (`write` of null). No other change of subscriptions happens
   * meanwhile. A new one begins with the first event that is not sealed yet. One that is resumed has no failures, and everything that
   * waits is due. One that is given to an application keeps the deliveries of its events alone.
   */
  changeWebhook<R>(
    id: string,
    decide: (facts: WebhookFacts) => Change<Webhook | null, R>,
    now: number,
  ): Promise<R | AlreadyAnswered>;

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

  /** Neither delivered nor given up, those of paused subscriptions included. */
  countWaitingDeliveries(): Promise<number>;
  listDeliveries(webhookId: string, page: DeliveryPage): Promise<Delivery[]>;
  findDelivery(webhookId: string, id: string): Promise<Delivery | undefined>;
  /** A delivery that an operator asks for: a test, or the repetition of the delivery `id`. */
  requestDelivery<R>(
    webhookId: string,
    id: string | undefined,
    decide: (facts: DeliveryFacts) => Change<DeliveryWrite, R>,
    now: number,
  ): Promise<R | AlreadyAnswered>;
}

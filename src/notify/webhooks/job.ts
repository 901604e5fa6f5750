import { setImmediate as nextTurn } from 'node:timers/promises';
import { orderedId } from '../../audit/events/ordered-id.ts';
import type { Event } from '../../audit/events/rules.ts';
import type { StartJob } from '../../platform/jobs/job.ts';
import type { Services } from '../../services.ts';
import { deliver } from './delivery.ts';
import { MAX_WAITING_DELIVERIES, webhookBody } from './rules.ts';
import type { Delivery, NewDelivery, Webhook, WebhookWork } from './store.ts';

/** Longer than one delivery can take (15 s). After a crash, another process takes the delivery when its lease has expired. */
const LEASE_SECONDS = 60;
/** Deliveries that one process sends at the same time, of one subscription and of all. */
const MAX_PER_SUBSCRIPTION = 5;
const MAX_CONCURRENT = 50;
const FAN_OUT = { events: 200, waiting: MAX_WAITING_DELIVERIES };
/** Of one subscription in one run, so that a long backlog does not delay the others. */
const MAX_BATCHES_PER_RUN = 5;

export interface WebhookSender {
  /** Enqueues deliveries of new events and starts those that are due. Does not wait for their answers. */
  run(): Promise<void>;
  /** Resolves when no delivery is being sent. */
  idle(): Promise<void>;
  stop(): void;
}

/**
 * Sends the deliveries of webhooks. A sealed event becomes a pending delivery for each subscription that wants it; a pending delivery is
 * leased, sent (delivery.ts), and is then delivered, failed, or pending until its next attempt.
 *
 * A run starts what is due and returns, so that an endpoint that answers slowly delays neither the others nor the next run. `wake` asks
 * for another run: a subscription has a free slot, or more to enqueue.
 */
export function createWebhookSender(services: Services, wake: () => void = () => {}): WebhookSender {
  const { store, clock, log } = services;
  const running = new Map<string, Set<Promise<void>>>();
  let total = 0;
  let stopped = false;

  /**
   * A subscription that sends nothing always gets one slot, so that others that use all slots cannot delay it. A failing endpoint
   * gets no more than this one.
   */
  const freeSlots = ({ id, isFailing }: WebhookWork): number => {
    const own = running.get(id)?.size ?? 0;
    const free = isFailing ? 0 : Math.min(MAX_PER_SUBSCRIPTION - own, MAX_CONCURRENT - total);
    return Math.max(own === 0 ? 1 : 0, free);
  };

  const start = (webhook: Webhook, delivery: Delivery): void => {
    const slots = running.get(webhook.id) ?? new Set();
    running.set(webhook.id, slots);
    const sending = deliver(services, webhook, delivery)
      .catch(error => {
        // The lease expires, and the delivery is sent again. After the stop the store is closed.
        if (!stopped) log.warn('job.failed', { job: 'webhooks', message: (error as Error).message });
      })
      .then(() => {
        slots.delete(sending);
        if (slots.size === 0) running.delete(webhook.id);
        total--;
        if (!stopped) wake();
      });
    slots.add(sending);
    total++;
  };

  const startDue = async (work: WebhookWork): Promise<void> => {
    const limit = freeSlots(work);
    if (limit === 0) return;
    const now = clock.now();
    const taken = await store.takeDeliveries(work.id, now, now + LEASE_SECONDS, limit);
    for (const delivery of taken?.deliveries ?? []) start(taken?.webhook as Webhook, delivery);
  };

  return {
    async run() {
      for (const work of await store.webhookWork(clock.now())) {
        if (stopped) return;
        const enqueued = work.isBehind && (await enqueue(services, work.id, wake));
        if (enqueued || work.hasDue) await startDue(work);
        // The embedded store is synchronous: requests get their turn between two subscriptions.
        await nextTurn();
      }
    },
    async idle() {
      while (running.size > 0) await Promise.all([...running.values()].flatMap(slots => [...slots]));
    },
    stop() {
      stopped = true;
    },
  };
}

export const sendWebhooks: StartJob = (services, { wake }) => {
  const sender = createWebhookSender(services, () => wake());
  return {
    run: sender.run,
    stop: () => {
      sender.stop();
      return sender.idle();
    },
  };
};

/** Whether anything was enqueued. */
async function enqueue(services: Services, id: string, wake: () => void): Promise<boolean> {
  let enqueued = 0;
  for (let batch = 0; batch < MAX_BATCHES_PER_RUN; batch++) {
    const done = await services.store.enqueueDeliveries(id, FAN_OUT, services.clock.now(), event =>
      newDelivery(services, event),
    );
    enqueued += done.enqueued;
    if (!done.isBehind) return enqueued > 0;
    await nextTurn();
  }
  wake();
  return enqueued > 0;
}

function newDelivery(services: Services, event: Event): NewDelivery {
  return { id: orderedId(services, 'dlv'), eventId: event.id, type: event.type, body: webhookBody(event) };
}

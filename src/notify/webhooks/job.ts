import { setImmediate as nextTurn } from 'node:timers/promises';
import { orderedId } from '../../audit/events/ordered-id.ts';
import type { Event } from '../../audit/events/rules.ts';
import {
  createInFlight,
  LEASE_SECONDS,
  MAX_CONCURRENT,
  MAX_PER_RECEIVER,
  type Sender,
  senderJob,
} from '../../platform/jobs/in-flight.ts';
import type { Services } from '../../services.ts';
import { deliver } from './delivery.ts';
import { MAX_WAITING_DELIVERIES, webhookBody } from './rules.ts';
import type { NewDelivery, WebhookWork } from './store.ts';

const FAN_OUT = { events: 200, waiting: MAX_WAITING_DELIVERIES };
/** Of one subscription in one run, so that a long backlog does not delay the others. */
const MAX_BATCHES_PER_RUN = 5;

/**
 * Sends the deliveries of webhooks. A sealed event becomes a pending delivery for each subscription that wants it; a pending delivery is
 * leased, sent (delivery.ts), and is then delivered, failed, or pending until its next attempt.
 *
 * A run starts what is due and returns, so that an endpoint that answers slowly delays neither the others nor the next run. `wake` asks
 * for another run: a subscription has a free slot, or more to enqueue.
 */
export function createWebhookSender(services: Services, wake: () => void = () => {}): Sender {
  const { store, clock } = services;
  const inFlight = createInFlight(services, 'webhooks', wake);

  /**
   * A subscription that sends nothing always gets one slot, so that others that use all slots cannot delay it. A failing endpoint
   * gets no more than this one.
   */
  const freeSlots = ({ id, isFailing }: WebhookWork): number => {
    const own = inFlight.to(id);
    const free = isFailing ? 0 : Math.min(MAX_PER_RECEIVER - own, MAX_CONCURRENT - inFlight.total);
    return Math.max(own === 0 ? 1 : 0, free);
  };

  const startDue = async (work: WebhookWork): Promise<void> => {
    const limit = freeSlots(work);
    if (limit === 0) return;
    const now = clock.now();
    const taken = await store.takeDeliveries(work.id, now, now + LEASE_SECONDS, limit);
    if (!taken) return;
    const { webhook, deliveries } = taken;
    for (const delivery of deliveries) inFlight.start(webhook.id, deliver(services, webhook, delivery));
  };

  return {
    async run() {
      for (const work of await store.webhookWork(clock.now())) {
        if (inFlight.isStopped) return;
        const enqueued = work.isBehind && (await enqueue(services, work.id, wake));
        if (enqueued || work.hasDue) await startDue(work);
        // The embedded store is synchronous: requests get their turn between two subscriptions.
        await nextTurn();
      }
    },
    idle: inFlight.idle,
    stop: inFlight.stop,
  };
}

export const sendWebhooks = senderJob(createWebhookSender);

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

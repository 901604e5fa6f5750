import assert from 'node:assert/strict';
import type { Event } from '../../../src/audit/events/rules.ts';
import type { Delivery, NewDelivery, Webhook } from '../../../src/notify/webhooks/store.ts';
import type { Store } from '../../../src/store.ts';
import { digest, NOW, unique } from './given.ts';

export function webhook(over: Partial<Webhook> = {}): Webhook {
  return {
    id: unique('whk'),
    app: undefined,
    url: 'https://receiver.example/hook',
    description: 'Billing',
    eventTypes: undefined,
    ordered: false,
    sealedSecrets: new Uint8Array(digest()),
    pauseReason: undefined,
    failingSince: undefined,
    createdAt: NOW,
    ...over,
  };
}

export function anEvent(over: Partial<Event> = {}): Event {
  return {
    id: unique('evt'),
    time: NOW,
    type: 'user.login.succeeded',
    outcome: 'success',
    actor: { kind: 'user', id: 'sub-1' },
    subject: 'sub-1',
    app: 'shop',
    clientId: 'web',
    address: '192.0.2.7',
    userAgent: 'Browser/1',
    requestId: unique('req'),
    details: { amr: ['pwd'] },
    ...over,
  };
}

/** Writes without a condition. */
export function put(store: Store, id: string, value: Webhook | null, event = anEvent({ type: 'webhook.updated' })) {
  return store.changeWebhook(id, () => ({ result: 'done', write: { value, act: { event } } }), NOW);
}

/** Its body is the event, so that a test sees what the store read. */
export function deliveryOf(event: Event): NewDelivery {
  return { id: unique('dlv'), eventId: event.id, type: event.type, body: JSON.stringify(event) };
}

export async function aWebhook(store: Store, over: Partial<Webhook> = {}): Promise<Webhook> {
  const added = webhook(over);
  assert.equal(await put(store, added.id, added), 'done');
  return added;
}

const LIMITS = { events: 100, waiting: 100 };

/** Enqueues what there is, and returns the ids of the events. */
export async function enqueue(store: Store, id: string, limits = LIMITS): Promise<string[]> {
  const events: string[] = [];
  await store.enqueueDeliveries(id, limits, NOW, event => {
    events.push(event.id);
    return deliveryOf(event);
  });
  return events;
}

/** The only one of these. */
export function the(deliveries: readonly Delivery[]): Delivery {
  const [delivery, ...more] = deliveries;
  assert(delivery && more.length === 0, `${deliveries.length} deliveries`);
  return delivery;
}

export function eventsOf(deliveries: readonly Delivery[]): string[] {
  return deliveries.map(({ eventId }) => eventId).sort();
}

import assert from 'node:assert/strict';
import { newEvent } from '../../src/audit/events/new-event.ts';
import { orderedId } from '../../src/audit/events/ordered-id.ts';
import type { Event } from '../../src/audit/events/rules.ts';
import { newWebhookSecrets } from '../../src/notify/webhooks/secrets.ts';
import type { Delivery, Webhook } from '../../src/notify/webhooks/store.ts';
import { addSealedEvents } from './sealed-events.ts';
import type { TestServer } from './test-server.ts';

export interface Subscribed {
  readonly id: string;
  /** As its receiver knows it. */
  readonly secret: string;
}

/** Makes a subscription as an owner does. */
export async function subscribe(
  { services }: TestServer,
  url: string,
  over: Partial<Webhook> = {},
): Promise<Subscribed> {
  const id = orderedId(services, 'whk');
  const { sealed, secret } = newWebhookSecrets(services, id);
  const value: Webhook = {
    id,
    app: undefined,
    url,
    description: '',
    eventTypes: undefined,
    ordered: false,
    sealedSecrets: sealed,
    pauseReason: undefined,
    failingSince: undefined,
    createdAt: services.clock.now(),
    ...over,
  };
  await changed(services, id, value);
  return { id, secret };
}

export async function resume({ services }: TestServer, id: string): Promise<void> {
  const current = (await services.store.findWebhook(id)) ?? assert.fail();
  await changed(services, id, { ...current, pauseReason: undefined });
}

export async function remove({ services }: TestServer, id: string): Promise<void> {
  await changed(services, id, null);
}

async function changed(services: TestServer['services'], id: string, value: Webhook | null): Promise<void> {
  const event = newEvent(services, { type: 'webhook.updated', outcome: 'success', actor: { kind: 'system' } });
  await services.store.changeWebhook(
    id,
    () => ({ result: undefined, write: { value, act: { event } } }),
    services.clock.now(),
  );
}

/** Events that happened and were sealed; returns their ids. The numbers go on from call to call. */
export function sealer(server: TestServer): (count: number, over?: Partial<Event>) => Promise<string[]> {
  let seq = 0;
  return async (count, over = {}) => {
    const events = Array.from({ length: count }, () => ({
      ...newEvent(server.services, {
        type: 'user.login.succeeded',
        outcome: 'success',
        actor: { kind: 'user', id: 'sub-1' },
        subject: 'sub-1',
        app: 'shop',
        clientId: 'web',
      }),
      ...over,
    }));
    await addSealedEvents(server.services.config.database.url, events, seq + 1);
    seq += count;
    return events.map(({ id }) => id);
  };
}

export function deliveriesOf({ services }: TestServer, id: string): Promise<Delivery[]> {
  return services.store.listDeliveries(id, { limit: 200, after: undefined });
}

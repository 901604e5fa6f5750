import { z } from 'zod';
import type { Change } from '../../audit/acts/store.ts';
import { orderedId } from '../../audit/events/ordered-id.ts';
import { emptyBody } from '../../operators/api/input.ts';
import { pageAfter, pageOf, pageQuery, toPage } from '../../operators/api/list.ts';
import { actOf, type OperationContext, operation } from '../../operators/api/operation.ts';
import { conflict, done, type Outcome, type Problem, unknown } from '../../operators/api/outcome.ts';
import { isoTime, timeField } from '../../operators/api/times.ts';
import { visible } from './operations.ts';
import { hostOf, MAX_WAITING_DELIVERIES, TEST_TYPE, testBody } from './rules.ts';
import type { Delivery, DeliveryFacts, DeliveryWrite, NewDelivery, Webhook } from './store.ts';

/**
 * /webhooks/{id}/deliveries: each is one event for one webhook. /webhooks/{id}/test adds one without an event.
 *
 *   pending     waits for its first or next attempt, or is being sent
 *   delivered   the endpoint answered 2xx
 *   failed      the last attempt has failed
 */

const state = z.enum(['pending', 'delivered', 'failed'], 'must be pending, delivered or failed');

const deliveryView = z.object({
  id: z.string(),
  event_id: z.string().meta({ description: 'The webhook-id of every attempt.' }),
  type: z.string(),
  state,
  attempts: z.int(),
  next_attempt_at: timeField.optional().meta({ description: 'Of a pending one.' }),
  status: z.int().optional().meta({ description: 'Of the last answer.' }),
  reason: z.string().optional().meta({ description: 'Why the last attempt failed.' }),
  created_at: timeField,
  finished_at: timeField.optional(),
});
type DeliveryView = z.output<typeof deliveryView>;

const webhookParam = z.object({ id: z.string() });
const deliveryParams = webhookParam.extend({ delivery_id: z.string() });

export const listDeliveries = operation({
  summary: 'List the deliveries of a webhook, newest first. Finished ones are kept for 30 days.',
  role: 'auditor',
  reach: 'filtered',
  params: webhookParam,
  query: z.strictObject({ ...pageQuery, state: state.optional() }),
  result: pageOf(deliveryView),
  async run(context, { params: { id }, query }) {
    if (!(await findVisible(context, id))) return unknown('webhook');
    const page = { ...pageAfter(query), state: query.state };
    const found = await context.services.store.listDeliveries(id, page);
    return done(toPage(found, query, delivery => delivery.id, viewOf));
  },
});

export const getDelivery = operation({
  summary: 'Get one delivery with the body that is sent.',
  role: 'auditor',
  reach: 'filtered',
  params: deliveryParams,
  result: deliveryView.extend({ body: z.string() }),
  async run(context, { params: { id, delivery_id } }) {
    if (!(await findVisible(context, id))) return unknown('delivery');
    const found = await context.services.store.findDelivery(id, delivery_id);
    return found ? done({ ...viewOf(found), body: found.body }) : unknown('delivery');
  },
});

export const redeliver = operation({
  summary:
    'Send a delivery again, with the same webhook-id. One that waits is sent at once; a finished one as a new delivery.',
  role: 'owner',
  reach: 'filtered',
  params: deliveryParams,
  body: emptyBody,
  result: deliveryView,
  status: 201,
  async run(context, { params: { id, delivery_id } }) {
    const newId = orderedId(context.services, 'dlv');
    return requestDelivery(context, id, delivery_id, (webhook, { delivery, waiting }) => {
      if (!delivery) return { result: unknown('delivery') };
      const isWaiting = delivery.finishedAt === undefined;
      const refused = refusedDelivery(webhook, isWaiting ? 0 : waiting);
      if (refused) return { result: refused };
      const { clock } = context.services;
      const result = viewOf(
        isWaiting
          ? { ...delivery, dueAt: clock.now() }
          : pendingDelivery(webhook, { ...delivery, id: newId }, clock.now()),
      );
      const event = {
        type: 'webhook.redelivered',
        subject: id,
        app: webhook.app,
        details: { delivery: delivery_id },
      } as const;
      const value: DeliveryWrite = isWaiting
        ? { kind: 'dueNow' }
        : { kind: 'add', delivery: { ...delivery, id: newId } };
      return { result: done(result), write: { value, act: actOf(context, event, result) } };
    });
  },
});

export const testWebhook = operation({
  summary: 'Send a delivery of the type webhook.test. GET …/deliveries/{delivery_id} returns the result.',
  role: 'owner',
  reach: 'filtered',
  params: webhookParam,
  body: emptyBody,
  result: deliveryView,
  status: 201,
  async run(context, { params: { id } }) {
    const { services } = context;
    const now = services.clock.now();
    const eventId = orderedId(services, 'evt');
    const delivery = { id: orderedId(services, 'dlv'), eventId, type: TEST_TYPE, body: testBody(id, now) };
    return requestDelivery(context, id, undefined, (webhook, { waiting }) => {
      const refused = refusedDelivery(webhook, waiting);
      if (refused) return { result: refused };
      const result = viewOf(pendingDelivery(webhook, delivery, now));
      const event = {
        type: 'webhook.tested',
        subject: id,
        app: webhook.app,
        details: { host: hostOf(webhook) },
      } as const;
      return { result: done(result), write: { value: { kind: 'add', delivery }, act: actOf(context, event, result) } };
    });
  },
});

async function findVisible({ services, caller }: OperationContext, id: string): Promise<Webhook | undefined> {
  return visible(caller, await services.store.findWebhook(id));
}

function requestDelivery(
  { services, caller }: OperationContext,
  webhookId: string,
  deliveryId: string | undefined,
  decide: (webhook: Webhook, facts: DeliveryFacts) => Change<DeliveryWrite, Outcome<DeliveryView>>,
): Promise<Outcome<DeliveryView>> {
  const decideVisible = (facts: DeliveryFacts): Change<DeliveryWrite, Outcome<DeliveryView>> => {
    const webhook = visible(caller, facts.webhook);
    return webhook ? decide(webhook, facts) : { result: unknown('webhook') };
  };
  return services.store.requestDelivery(webhookId, deliveryId, decideVisible, services.clock.now());
}

function refusedDelivery({ pauseReason }: Webhook, waiting: number): Problem | undefined {
  if (pauseReason !== undefined) return conflict('The webhook is paused. Set its state to active first.');
  return waiting < MAX_WAITING_DELIVERIES ? undefined : conflict(`${MAX_WAITING_DELIVERIES} deliveries wait already.`);
}

/** A new delivery as the store will return it. */
function pendingDelivery({ id: webhookId }: Webhook, { id, eventId, type, body }: NewDelivery, now: number): Delivery {
  const unset = { status: undefined, reason: undefined, finishedAt: undefined };
  return { id, eventId, type, body, webhookId, state: 'pending', attempts: 0, dueAt: now, createdAt: now, ...unset };
}

function viewOf({
  id,
  eventId,
  type,
  state,
  attempts,
  dueAt,
  status,
  reason,
  createdAt,
  finishedAt,
}: Delivery): DeliveryView {
  return {
    id,
    event_id: eventId,
    type,
    state,
    attempts,
    ...(dueAt === undefined ? {} : { next_attempt_at: isoTime(dueAt) }),
    ...(status === undefined ? {} : { status }),
    ...(reason === undefined ? {} : { reason }),
    created_at: isoTime(createdAt),
    ...(finishedAt === undefined ? {} : { finished_at: isoTime(finishedAt) }),
  };
}

import { newEvent } from '../../audit/events/new-event.ts';
import { type Outcome, sendRequest } from '../../platform/outbound/request.ts';
import type { Services } from '../../services.ts';
import { hostOf, pauseAfter, readRetryAfter, retryDelaySeconds, webhookSignature } from './rules.ts';
import { signingSecrets } from './secrets.ts';
import type { Delivery, Pause, Webhook } from './store.ts';

/** From the lookup of the name to the head of the answer. Standard Webhooks recommends 15 to 30 s. */
const TIMEOUT_MS = 15_000;
const MAX_REASON_LENGTH = 200;

type Attempt =
  | { readonly kind: 'delivered'; readonly status: number }
  | {
      readonly kind: 'failed';
      readonly status: number | undefined;
      readonly reason: string;
      /** The seconds that the endpoint asked to wait. */
      readonly retryAfter: number;
    };

/** Sends one delivery and records the outcome. The status of the answer decides; its body is not read. */
export async function deliver(services: Services, webhook: Webhook, delivery: Delivery): Promise<void> {
  const attempt = await send(services, webhook, delivery);
  if (attempt.kind === 'failed') return recordFailure(services, webhook, delivery, attempt);
  await services.store.finishDelivery(webhook.id, delivery.id, attempt.status, services.clock.now());
  services.metrics.webhookAttempts.add('delivered');
}

async function send(services: Services, { id, url, sealedSecrets }: Webhook, delivery: Delivery): Promise<Attempt> {
  const { config, clock } = services;
  const timestamp = clock.now();
  const secrets = signingSecrets(services, id, sealedSecrets, timestamp);
  if (secrets === undefined) return failed('the secret of the webhook was sealed with another GATEHOUSE_SECRET');
  const { eventId, body } = delivery;
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Gatehouse',
    'webhook-id': eventId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': webhookSignature(secrets, eventId, timestamp, body),
  };
  const request = { method: 'POST', url, headers, body, maxBytes: 0, timeoutMs: TIMEOUT_MS };
  return attemptOf(await sendRequest(request, config.outbound), clock.now());
}

/** Success is 2xx. A redirect is a failure: deliveries go to the registered address alone. */
function attemptOf(outcome: Outcome, now: number): Attempt {
  if (outcome.kind === 'failed') return failed(outcome.reason);
  const { status, headers } = outcome;
  if (status >= 200 && status < 300) return { kind: 'delivered', status };
  return failed(`status ${status}`, status, readRetryAfter(headers['retry-after'], now));
}

function failed(reason: string, status?: number, retryAfter = 0): Attempt {
  return { kind: 'failed', status, reason: reason.slice(0, MAX_REASON_LENGTH), retryAfter };
}

async function recordFailure(
  services: Services,
  webhook: Webhook,
  { id, attempts }: Delivery,
  { status, reason, retryAfter }: Extract<Attempt, { kind: 'failed' }>,
): Promise<void> {
  const { store, clock, random, log, metrics } = services;
  const now = clock.now();
  const delay = retryDelaySeconds(attempts, random.bytes(1).readUInt8() / 255, retryAfter);
  const retryAt = delay === undefined ? undefined : now + delay;
  const failure = { webhookId: webhook.id, id, attempts, status, reason, retryAt };
  const { paused } = await store.failDelivery(failure, now, current => pauseOf(services, current, failure));
  metrics.webhookAttempts.add(delay === undefined ? 'failed' : 'postponed');
  const fields = { webhook: webhook.id, delivery: id, attempts, reason };
  if (delay === undefined) log.error('webhook.undelivered', fields);
  else log.info('webhook.postponed', { ...fields, delay });
  if (paused) log.warn('webhook.paused', { webhook: webhook.id, app: webhook.app, host: hostOf(webhook), reason });
}

function pauseOf(
  services: Services,
  webhook: Webhook,
  { status, reason }: { readonly status: number | undefined; readonly reason: string },
): Pause | undefined {
  const pause = pauseAfter(status, webhook.failingSince, services.clock.now());
  if (pause === undefined) return undefined;
  const event = newEvent(services, {
    type: 'webhook.paused',
    outcome: 'success',
    actor: { kind: 'system' },
    subject: webhook.id,
    app: webhook.app,
    details: { pause_reason: pause, last_failure: reason, host: hostOf(webhook) },
  });
  return { reason: pause, event };
}

import { createHmac } from 'node:crypto';
import type { Event } from '../../audit/events/rules.ts';

/**
 * Standard Webhooks 1.0.0 (standardwebhooks.com): what is sent, how it is signed, when it is sent again. docs/webhooks.md describes it
 * for those who receive it.
 */

/** The prefix of a secret as people see it; base64 follows. */
export const SECRET_PREFIX = 'whsec_';
/** Of a delivery that an operator sends to try an endpoint. No event has this type. */
export const TEST_TYPE = 'webhook.test';
/** Subscriptions of a deployment. */
export const MAX_WEBHOOKS = 100;
/** Unfinished deliveries of a subscription. Further events wait in the log, so none is lost. */
export const MAX_WAITING_DELIVERIES = 1000;
/** Below the 20 KB that the specification recommends. */
const MAX_BODY_BYTES = 16_384;

/** The body of an event: identifiers and what the audit log has, never a secret. */
export function webhookBody(event: Event): string {
  const { type, time, details, userAgent, ...rest } = event;
  const head = {
    id: rest.id,
    outcome: rest.outcome,
    actor: rest.actor,
    subject: rest.subject,
    application: rest.app,
    client: rest.clientId,
    address: rest.address,
    request_id: rest.requestId,
  };
  const body = bodyOf(type, time, { ...head, user_agent: userAgent, details });
  // Both are of any length. The receiver can read them at the API by the id of the event.
  return Buffer.byteLength(body) <= MAX_BODY_BYTES ? body : bodyOf(type, time, { ...head, truncated: true });
}

export function testBody(webhookId: string, now: number): string {
  return bodyOf(TEST_TYPE, now, { webhook: webhookId });
}

function bodyOf(type: string, time: number, data: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ type, timestamp: new Date(time * 1000).toISOString(), data });
}

/** `webhook-signature`: one signature for each secret, so that a receiver can change to a new secret whenever it wants. */
export function webhookSignature(secrets: readonly Buffer[], id: string, timestamp: number, body: string): string {
  const sign = (secret: Buffer) => createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64');
  return secrets.map(secret => `v1,${sign(secret)}`).join(' ');
}

/** Logs and events name the host alone: path and query may hold a secret of the receiver. */
export function hostOf({ url }: { readonly url: string }): string {
  return new URL(url).host;
}

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

/** The delay after each failed attempt. The ninth attempt is more than a day after the first, when an endpoint is paused. */
export const RETRY_DELAYS_SECONDS: readonly number[] = [
  5,
  MINUTE,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  8 * HOUR,
  9 * HOUR,
  DAY,
  DAY,
];
const MAX_JITTER = 0.1;

/**
 * Seconds until the next attempt; undefined: that was the last one. `retryAfter` is what the endpoint asked for. The jitter spreads
 * deliveries that failed at the same time; `random` is from 0 to 1.
 */
export function retryDelaySeconds(attempts: number, random: number, retryAfter = 0): number | undefined {
  const delay = RETRY_DELAYS_SECONDS[attempts - 1];
  if (delay === undefined) return undefined;
  return Math.max(Math.floor(delay * (1 + MAX_JITTER * random)), Math.min(retryAfter, DAY));
}

/** Retry-After in seconds (RFC 9110 section 10.2.3). A date is read too. */
export function readRetryAfter(header: string | undefined, now: number): number {
  if (header === undefined) return 0;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? 0 : Math.max(0, Math.ceil(date / 1000) - now);
}

/** Deliveries have failed for so long without a success in between. */
const PAUSE_AFTER_SECONDS = DAY;

/**
 * Whether an endpoint is paused after a failure. 410 says that it wants no more (Standard Webhooks, "Delivery success and failure").
 */
export function pauseAfter(
  status: number | undefined,
  failingSince: number | undefined,
  now: number,
): 'gone' | 'failing' | undefined {
  if (status === 410) return 'gone';
  return failingSince !== undefined && now - failingSince >= PAUSE_AFTER_SECONDS ? 'failing' : undefined;
}

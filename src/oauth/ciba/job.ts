import { outboundTo } from '../../directory/clients/by-origin.ts';
import { type Sender, senderJob } from '../../platform/jobs/in-flight.ts';
import { createSender, deliveryTimeoutMs } from '../../platform/jobs/sender.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import { type Outcome, sendRequest } from '../../platform/outbound/request.ts';
import type { Services } from '../../services.ts';
import { openPing, type PingContent } from './ping.ts';
import type { Ping } from './store.ts';

const FIRST_RETRY_DELAY_SECONDS = 5;

/** Section 10.2: tells clients in the mode ping that a person has decided, again and again until they answer or the request is over. */
export function createPingSender(services: Services, wake?: () => void): Sender {
  const { takePings: take } = services.store;
  return createSender(services, 'pings', { take, deliver: ping => deliver(services, ping) }, wake);
}

export const sendPings = senderJob(createPingSender);

async function deliver(services: Services, ping: Ping): Promise<boolean> {
  const { store, registry, clock, log, ring, config } = services;
  const { id, app, clientId, attempts } = ping;
  const client = await registry.client(app, clientId);
  const endpoint = client?.backchannel_client_notification_endpoint;
  const content = openPing(ring, id, ping.sealed);
  const sending = client && endpoint !== undefined && content;
  const outcome = sending ? await send(outboundTo(client, config.outbound), endpoint, content) : 'nobody';
  if (outcome === 'nobody' || (outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300)) {
    await store.finishPing(id);
    return true;
  }

  const reason = outcome.kind === 'answered' ? `status ${outcome.status}` : outcome.reason;
  const next = clock.now() + FIRST_RETRY_DELAY_SECONDS * 2 ** (attempts - 1);
  if (next >= ping.expiresAt) {
    log.error('ping.undelivered', { app, client: clientId, attempts, reason });
    await store.finishPing(id);
  } else {
    log.warn('ping.postponed', { app, client: clientId, attempts, reason });
    await store.postponePing(id, next);
  }
  return false;
}

/** A redirect is not followed: the token is for the registered address alone. */
function send(outbound: Outbound, url: string, { authReqId, token }: PingContent): Promise<Outcome> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const body = JSON.stringify({ auth_req_id: authReqId });
  const timeoutMs = deliveryTimeoutMs(outbound);
  return sendRequest({ method: 'POST', url, headers, body, maxBytes: 0, timeoutMs }, outbound);
}

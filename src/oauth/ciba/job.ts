import { outboundTo } from '../../directory/clients/by-origin.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import { type Outcome, sendRequest } from '../../platform/outbound/request.ts';
import type { Services } from '../../services.ts';
import { openPing, type PingContent } from './ping.ts';
import type { Ping } from './store.ts';

const MAX_PINGS_PER_RUN = 20;
/** Longer than one delivery can take. After a crash, another process takes the ping when its lease has expired. */
const LEASE_SECONDS = 60;
const FIRST_RETRY_DELAY_SECONDS = 5;

/** Section 10.2: tells clients in the mode ping that a person has decided, again and again until they answer or the request is over. */
export async function deliverPings(services: Services): Promise<void> {
  const { store, clock } = services;
  const pings = await store.takePings(clock.now(), clock.now() + LEASE_SECONDS, MAX_PINGS_PER_RUN);
  await Promise.all(pings.map(ping => deliver(services, ping)));
}

async function deliver(services: Services, ping: Ping): Promise<void> {
  const { store, registry, clock, log, ring, config } = services;
  const { id, app, clientId, attempts } = ping;
  const client = await registry.client(app, clientId);
  const endpoint = client?.backchannel_client_notification_endpoint;
  const content = openPing(ring, id, ping.sealed);
  if (!client || endpoint === undefined || !content) return store.finishPing(id);
  const outcome = await send(outboundTo(client, config.outbound), endpoint, content);
  if (outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300) return store.finishPing(id);

  const reason = outcome.kind === 'answered' ? `status ${outcome.status}` : outcome.reason;
  const next = clock.now() + FIRST_RETRY_DELAY_SECONDS * 2 ** (attempts - 1);
  if (next >= ping.expiresAt) {
    log.error('ping.undelivered', { app, client: clientId, attempts, reason });
    return store.finishPing(id);
  }
  log.warn('ping.postponed', { app, client: clientId, attempts, reason });
  return store.postponePing(id, next);
}

/** A redirect is not followed: the token is for the registered address alone. */
function send(outbound: Outbound, url: string, { authReqId, token }: PingContent): Promise<Outcome> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const body = JSON.stringify({ auth_req_id: authReqId });
  return sendRequest({ method: 'POST', url, headers, body, maxBytes: 0 }, outbound);
}

import { postForm } from '../outbound/request.ts';
import { logoutTokenClaims } from '../protocol/claims.ts';
import { issuerOf, signingAlgOf } from '../protocol/client.ts';
import { encodeParams } from '../protocol/params.ts';
import type { Services } from '../services.ts';
import type { LogoutNotice } from '../store/queue.ts';

const BATCH = 20;
/** Longer than one delivery can take: a process that dies with a notice in hand leaves it to another. */
const LEASE = 60;
const FIRST_RETRY = 5;
const LONGEST_PAUSE = 3600;
/** With these pauses about five hours. */
const MOST_ATTEMPTS = 14;

/** OpenID Connect Back-Channel Logout: tells each client of an ended session, until it has answered. */
export async function deliverLogoutNotices(services: Services): Promise<void> {
  const { store, clock } = services;
  const notices = await store.takeLogoutNotices(clock.now(), clock.now() + LEASE, BATCH);
  await Promise.all(notices.map(notice => deliver(services, notice)));
}

async function deliver(services: Services, notice: LogoutNotice): Promise<void> {
  const { store, registry, clock, log, config } = services;
  const application = await registry.application(notice.app);
  const client = await registry.client(notice.app, notice.clientId);
  const address = client?.backchannel_logout_uri;
  if (!application || !client || address === undefined) return store.finishLogoutNotice(notice.id);

  const claims = logoutTokenClaims(issuerOf(config.baseUrl, notice.app), notice, {
    iat: clock.now(),
    jti: services.random.bytes(16).toString('base64url'),
  });
  const token = await services.signer.sign(notice.app, signingAlgOf(application, client), 'logout+jwt', claims);
  const outcome = await postForm(address, encodeParams([['logout_token', token]]), config.outboundAllowed);
  if (outcome.kind === 'answered' && outcome.status < 300) return store.finishLogoutNotice(notice.id);

  const reason = outcome.kind === 'answered' ? `status ${outcome.status}` : outcome.reason;
  const { app, clientId, attempts } = notice;
  if (attempts >= MOST_ATTEMPTS) {
    log.error('logout.undelivered', { app, client: clientId, attempts, reason });
    return store.finishLogoutNotice(notice.id);
  }
  log.warn('logout.postponed', { app, client: clientId, attempts, reason });
  return store.postponeLogoutNotice(notice.id, clock.now() + pauseAfter(attempts));
}

function pauseAfter(attempts: number): number {
  return Math.min(FIRST_RETRY * 2 ** (attempts - 1), LONGEST_PAUSE);
}

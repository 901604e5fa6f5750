import { type Application, issuerOf } from '../../directory/applications/rules.ts';
import { type Client, signingAlgOf } from '../../directory/clients/rules.ts';
import { logoutTokenClaims } from '../../directory/users/claims.rules.ts';
import { encodeParams } from '../../platform/http/params.rules.ts';
import { type Outcome, postForm } from '../../platform/outbound/request.ts';
import type { Services } from '../../services.ts';
import type { LogoutNotice } from './store.ts';

const MAX_NOTICES_PER_RUN = 20;
/** Longer than one delivery can take. After a crash, another process takes the notice when its lease has expired. */
const LEASE_SECONDS = 60;
const FIRST_RETRY_DELAY_SECONDS = 5;
const MAX_RETRY_DELAY_SECONDS = 3600;
/** With these delays the last attempt is about 4.4 hours after the first (15,915 s). */
const MAX_ATTEMPTS = 14;

/** OpenID Connect Back-Channel Logout: sends a logout token for each ended session to each of its clients, with retries. */
export async function deliverLogoutNotices(services: Services): Promise<void> {
  const { store, clock } = services;
  const notices = await store.takeLogoutNotices(clock.now(), clock.now() + LEASE_SECONDS, MAX_NOTICES_PER_RUN);
  await Promise.all(notices.map(notice => deliver(services, notice)));
}

async function deliver(services: Services, notice: LogoutNotice): Promise<void> {
  const { store, registry, clock, log } = services;
  const application = await registry.application(notice.app);
  const client = await registry.client(notice.app, notice.clientId);
  const uri = client?.backchannel_logout_uri;
  if (!application || !client || uri === undefined) return store.finishLogoutNotice(notice.id);

  const outcome = await send(services, notice, { application, client, uri }).catch(failed);
  if (outcome.kind === 'answered' && outcome.status < 300) return store.finishLogoutNotice(notice.id);

  const reason = outcome.kind === 'answered' ? `status ${outcome.status}` : outcome.reason;
  const { app, clientId, attempts } = notice;
  if (attempts >= MAX_ATTEMPTS) {
    log.error('logout.undelivered', { app, client: clientId, attempts, reason });
    return store.finishLogoutNotice(notice.id);
  }
  log.warn('logout.postponed', { app, client: clientId, attempts, reason });
  return store.postponeLogoutNotice(notice.id, clock.now() + retryDelaySeconds(attempts));
}

interface Receiver {
  readonly application: Application;
  readonly client: Client;
  readonly uri: string;
}

async function send(
  services: Services,
  notice: LogoutNotice,
  { application, client, uri }: Receiver,
): Promise<Outcome> {
  const { clock, config } = services;
  const shown = await services.subjects.shownTo(notice.app, client, notice);
  const claims = logoutTokenClaims(issuerOf(config.baseUrl, notice.app), shown, {
    iat: clock.now(),
    jti: services.random.bytes(16).toString('base64url'),
  });
  const token = await services.signer.sign(notice.app, signingAlgOf(application, client), 'logout+jwt', claims);
  // As its ID tokens (Back-Channel Logout section 2.4).
  const logoutToken = client.id_token_encrypted_response_alg
    ? await (await services.encryption.to(client, 'id_token'))?.(token)
    : token;
  if (logoutToken === undefined) return { kind: 'failed', reason: 'the client has no key to encrypt to' };
  return postForm(uri, encodeParams([['logout_token', logoutToken]]), config.outbound);
}

/** A token that cannot be made is a failed attempt: it is tried again as late as others, and not for ever. */
function failed(fault: Error): Outcome {
  return { kind: 'failed', reason: fault.message };
}

function retryDelaySeconds(attempts: number): number {
  return Math.min(FIRST_RETRY_DELAY_SECONDS * 2 ** (attempts - 1), MAX_RETRY_DELAY_SECONDS);
}

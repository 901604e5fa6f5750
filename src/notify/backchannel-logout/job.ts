import { type Application, issuerOf } from '../../directory/applications/rules.ts';
import { type Client, signingAlgOf } from '../../directory/clients/rules.ts';
import { logoutTokenClaims } from '../../directory/users/claims.rules.ts';
import { encodeParams } from '../../platform/http/params.rules.ts';
import { type Sender, senderJob } from '../../platform/jobs/in-flight.ts';
import { createSender, deliveryTimeoutMs, MAX_DELIVERY_MS } from '../../platform/jobs/sender.ts';
import { type Outcome, postForm } from '../../platform/outbound/request.ts';
import type { Services } from '../../services.ts';
import type { LogoutNotice } from './store.ts';

const FIRST_RETRY_DELAY_SECONDS = 5;
const MAX_RETRY_DELAY_SECONDS = 3600;
/** With these delays the last attempt is about 4.4 hours after the first (15,915 s). */
const MAX_ATTEMPTS = 14;

/** OpenID Connect Back-Channel Logout: sends a logout token for each ended session to each of its clients, with retries. */
export function createLogoutSender(services: Services, wake?: () => void): Sender {
  const { takeLogoutNotices: take } = services.store;
  return createSender(services, 'deliveries', { take, deliver: notice => deliver(services, notice) }, wake);
}

export const sendLogoutNotices = senderJob(createLogoutSender);

async function deliver(services: Services, notice: LogoutNotice): Promise<boolean> {
  const { store, registry, clock, log } = services;
  const application = await registry.application(notice.app);
  const client = await registry.client(notice.app, notice.clientId);
  const uri = client?.backchannel_logout_uri;
  const outcome =
    application && client && uri !== undefined
      ? await send(services, notice, { application, client, uri }).catch(failed)
      : 'nobody';
  if (outcome === 'nobody' || (outcome.kind === 'answered' && outcome.status < 300)) {
    await store.finishLogoutNotice(notice.id);
    return true;
  }

  const reason = outcome.kind === 'answered' ? `status ${outcome.status}` : outcome.reason;
  const { app, clientId, attempts } = notice;
  if (attempts >= MAX_ATTEMPTS) {
    log.error('logout.undelivered', { app, client: clientId, attempts, reason });
    await store.finishLogoutNotice(notice.id);
  } else {
    log.warn('logout.postponed', { app, client: clientId, attempts, reason });
    await store.postponeLogoutNotice(notice.id, clock.now() + retryDelaySeconds(attempts));
  }
  return false;
}

interface Receiver {
  readonly application: Application;
  readonly client: Client;
  readonly uri: string;
}

async function send(services: Services, notice: LogoutNotice, receiver: Receiver): Promise<Outcome> {
  const { outbound } = services.config;
  const logoutToken = await within(MAX_DELIVERY_MS, logoutTokenFor(services, notice, receiver));
  if (logoutToken === undefined) return { kind: 'failed', reason: 'the client has no key to encrypt to' };
  return postForm(receiver.uri, encodeParams([['logout_token', logoutToken]]), {
    ...outbound,
    timeoutMs: deliveryTimeoutMs(outbound),
  });
}

/** Undefined: there is no key to encrypt it to. */
async function logoutTokenFor(
  services: Services,
  notice: LogoutNotice,
  { application, client }: Receiver,
): Promise<string | undefined> {
  const { clock, config } = services;
  const shown = await services.subjects.shownTo(notice.app, client, notice);
  const claims = logoutTokenClaims(issuerOf(config.baseUrl, notice.app), shown, {
    iat: clock.now(),
    jti: services.random.bytes(16).toString('base64url'),
  });
  const token = await services.signer.sign(notice.app, signingAlgOf(application, client), 'logout+jwt', claims);
  // As its ID tokens (Back-Channel Logout section 2.4).
  if (client.id_token_encrypted_response_alg === undefined) return token;
  return (await services.encryption.to(client, 'id_token'))?.(token);
}

/** The key to encrypt to may be at an address of the client, which may never answer. */
async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no logout token within ${timeoutMs} ms`)), timeoutMs);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}

/** A token that cannot be made is a failed attempt: it is tried again as late as others, and not for ever. */
function failed(fault: Error): Outcome {
  return { kind: 'failed', reason: fault.message };
}

function retryDelaySeconds(attempts: number): number {
  return Math.min(FIRST_RETRY_DELAY_SECONDS * 2 ** (attempts - 1), MAX_RETRY_DELAY_SECONDS);
}

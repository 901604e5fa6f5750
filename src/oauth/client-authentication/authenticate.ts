import { hash } from 'node:crypto';
import { withOrigin } from '../../audit/events/request-event.ts';
import type { Application } from '../../directory/applications/rules.ts';
import { clientOrNone, findClient } from '../../directory/client-id-metadata/find-client.ts';
import { type Client, isByCertificate } from '../../directory/clients/rules.ts';
import { type AnyFailureName, type FailureName, failure } from '../../failures.ts';
import type { Refusal, Request } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { keptImport } from '../../platform/kept-import.ts';
import { outsideRequest } from '../../platform/store/request-time.ts';
import { withinTime } from '../../platform/store/within-time.ts';
import type { ClientAttempt } from '../../platform/throttle/attempts.ts';
import type { Services } from '../../services.ts';
import { isClientId } from './client-id.ts';
import type { ClientAuthMethod, ClientCredentials, Verdict } from './method.ts';
import { clientAuthMethods } from './methods.ts';
import { claimedClient } from './public-client.ts';

const loadCertificates = keptImport(() => import('./client-certificate.ts'));

/** RFC 6749 section 2.3: which client sent the request? */
export type ClientAuthentication =
  | { readonly kind: 'authenticated'; readonly client: Client }
  /** No credentials at all; each endpoint knows whether that can be enough. */
  | { readonly kind: 'anonymous' }
  | ({ readonly kind: 'refused' } & Refusal);

/**
 * The phases that all methods share: find the one that the request uses, recognise credentials that were verified before,
 * or else count the attempt, verify and remember.
 */
export async function authenticateClient(
  services: Services,
  request: Request,
  application: Application,
  params: Params,
): Promise<ClientAuthentication> {
  const named = methodUsed(request, params);
  // Beside credentials a certificate only binds tokens (RFC 8705 section 3).
  const used =
    named === 'none' && request.certificate ? await byCertificate(services, request, application, params) : named;
  if (used === 'none') return { kind: 'anonymous' };
  if (used === 'several') return refused('severalClientAuthentications');
  const key = used.method.reusable ? recognitionKey(request, application, used) : undefined;
  const known = key === undefined ? undefined : services.registry.verifiedClient(key);
  const outcome: ClientAuthentication = known
    ? { kind: 'authenticated', client: known }
    : await verifyWithinTime(services, request, application, used, key);
  if (outcome.kind === 'refused') recordFailure(services, request, application, outcome);
  const claimed = params.get('client_id');
  return claimed === undefined ? outcome : unlessOther(outcome, claimed);
}

/** Credentials that were verified and are wrong, or that were not verified because there were too many attempts. */
const FAILED: Partial<Record<AnyFailureName, 'failure' | 'denied'>> = {
  clientAuthenticationFailed: 'failure',
  tooManyClientAttempts: 'denied',
};

function recordFailure(services: Services, request: Request, { code: app }: Application, refusal: Refusal): void {
  const outcome = FAILED[refusal.failure.name];
  if (outcome === undefined) return;
  const { client: clientId } = refusal;
  const actor = { kind: 'client', id: clientId } as const;
  const event = { type: 'client.authentication.failed', outcome, actor, app, clientId } as const;
  services.recorder.record(withOrigin(request, event));
}

interface Presented {
  readonly method: ClientAuthMethod;
  readonly credentials: string;
}

/** "The client MUST NOT use more than one authentication method in each request" (RFC 6749 section 2.3). */
export function methodUsed(request: Request, params: Params): Presented | 'none' | 'several' {
  let used: Presented | 'none' = 'none';
  for (const method of clientAuthMethods) {
    const credentials = method.presented(request, params);
    if (credentials === undefined) continue;
    if (used !== 'none') return 'several';
    used = { method, credentials };
  }
  return used;
}

/** RFC 8705 section 2: the client names itself by client_id, and its certificate is its credentials, if it is registered so. */
async function byCertificate(
  services: Services,
  request: Request,
  application: Application,
  params: Params,
): Promise<Presented | 'none'> {
  const client = clientOrNone(await claimedClient(services, request, application, params));
  if (!client || !isByCertificate(client.token_endpoint_auth_method)) return 'none';
  const { certificateMethod } = await loadCertificates();
  return { method: certificateMethod(request, client.token_endpoint_auth_method), credentials: client.client_id };
}

/** A client that proves one identity must not claim another in the form body. */
function unlessOther(outcome: ClientAuthentication, claimed: string): ClientAuthentication {
  if (outcome.kind !== 'authenticated' || claimed === outcome.client.client_id) return outcome;
  const facts = { claimsOtherClient: true };
  return { kind: 'refused', failure: failure('severalClientAuthentications'), client: outcome.client.client_id, facts };
}

function refused(name: FailureName, client?: string): ClientAuthentication {
  return { kind: 'refused', failure: failure(name), client };
}

/**
 * A client sends the same credentials with every request. Once verified, they are recognised by their hash, which takes a
 * tenth of the time; looking up a hash tells an attacker nothing about the secret. They are recognised only from the same
 * address: from another one they may be a guess, and guesses are counted.
 */
function recognitionKey({ address }: Request, { code }: Application, { method, credentials }: Presented): string {
  return hash('sha256', `${code} ${address} ${method.name} ${credentials}`, 'base64');
}

async function verifyWithinTime(
  services: Services,
  { address, receivedAt }: Request,
  application: Application,
  { method, credentials }: Presented,
  key: string | undefined,
): Promise<ClientAuthentication> {
  const readings = method.readings(credentials);
  if (typeof readings === 'string') return refused(readings);
  const plausible = readings.filter(({ clientId }) => isClientId(clientId));
  const unverified = { app: application.code, application, address, key, method, readings: plausible };
  // The same credentials many times at once are one attempt, as from a busy client to a node that has just started.
  if (key === undefined) return verify(services, unverified);
  const verifying = services.registry.verifyOnce(key, () => outsideRequest(() => verify(services, unverified)));
  return withinTime(verifying, receivedAt, services.config.databaseTimeoutMs);
}

/** Credentials that were not recognised. */
interface Unverified {
  readonly app: string;
  readonly application: Application;
  readonly address: string;
  /** What they are recognised by from now on, if they are right; undefined for those that are good for one request. */
  readonly key: string | undefined;
  readonly method: ClientAuthMethod;
  readonly readings: readonly ClientCredentials[];
  /** Undefined where requests of different age wait for it: then its time counts from its own start. */
}

async function verify(services: Services, unverified: Unverified): Promise<ClientAuthentication> {
  const { registry, throttle } = services;
  const { admitted, counted, wait } = await admit(services, unverified);
  if (admitted.length === 0) return refusal(services, unverified, wait);
  try {
    const { client, fault } = await clientBehind(services, unverified, admitted);
    if (!client) return refusal(services, unverified, wait, fault);
    for (const attempt of counted) {
      if (attempt.clientId === client.client_id) throttle.succeeded(attempt);
      else throttle.withdrawn(attempt);
    }
    if (unverified.key !== undefined) registry.noteVerified(unverified.key, unverified.app, client);
    return { kind: 'authenticated', client };
  } catch (fault) {
    for (const attempt of counted) throttle.withdrawn(attempt);
    throw fault;
  }
}

interface Admitted {
  /** The readings that may be verified. */
  readonly admitted: readonly ClientCredentials[];
  /** The attempts that were counted for them. */
  readonly counted: readonly ClientAttempt[];
  /** Above 0: some attempts are used up. */
  readonly wait: number;
}

/** Counts an attempt for each reading of the credentials, before any of them is verified. */
async function admit({ throttle }: Services, { app, address, method, readings }: Unverified): Promise<Admitted> {
  const admitted: ClientCredentials[] = [];
  const counted: ClientAttempt[] = [];
  let longest = 0;
  for (const reading of readings) {
    const { clientId, secret } = reading;
    // No assertion comes twice. A client that has authenticated by one from this address is known by that: others cannot lock it out.
    const secretDigest = method.reusable ? hash('sha256', secret, 'base64') : method.name;
    const attempt: ClientAttempt = { kind: 'client', app, clientId, address, secretDigest };
    const { wait, known } = await throttle.admit(attempt);
    if (wait === 0) counted.push(attempt);
    if (wait === 0 || known) admitted.push(reading);
    longest = Math.max(longest, wait);
  }
  return { admitted, counted, wait: longest };
}

/** The same for a client that exists and for one that does not, whether or not the credentials were verified. */
function refusal(
  { registry }: Services,
  { app, method, readings }: Unverified,
  wait: number,
  fault: Fault | undefined = method.reusable || readings.length > 0 ? undefined : 'malformed',
): ClientAuthentication {
  // For the log. A string that is no client_id of the application may be a secret in the wrong place, and is not logged.
  const client = readings.find(({ clientId }) => registry.cachedClient(app, clientId))?.clientId;
  const facts = factsOf(fault);
  if (wait === 0) return { kind: 'refused', failure: failure('clientAuthenticationFailed'), client, ...facts };
  return { kind: 'refused', failure: failure('tooManyClientAttempts'), retryAfter: wait, client };
}

type Fault = Exclude<Verdict, 'verified'>;

function factsOf(fault: Fault | undefined): Pick<Refusal, 'facts'> {
  if (fault === undefined || fault === 'wrong') return {};
  return { facts: typeof fault === 'string' ? { assertion: fault } : fault };
}

/** The client whose credentials they are, or what is wrong with them. */
async function clientBehind(
  services: Services,
  { app, application, address, method }: Unverified,
  admitted: readonly ClientCredentials[],
): Promise<{ readonly client?: Client; readonly fault?: Fault }> {
  let fault: Fault | undefined;
  for (const credentials of admitted) {
    const client = clientOrNone(await findClient(services, application, credentials.clientId, { address }));
    const verdict = client && (await method.verify({ services, app, client, credentials }));
    if (client && verdict === 'verified') return { client };
    fault ??= verdict === 'verified' ? undefined : verdict;
  }
  return fault === undefined ? {} : { fault };
}

import { hash } from 'node:crypto';
import { header, type Refusal, type Request } from '../message.ts';
import type { Application, Client } from '../protocol/client.ts';
import { type FailureName, failure } from '../protocol/errors.ts';
import type { Params } from '../protocol/params.ts';
import type { Services } from '../services.ts';
import { withinTime } from '../store/within-time.ts';
import type { ClientAttempt } from '../throttle.ts';

/** RFC 6749 section 2.3: who is calling? */
export type ClientAuthentication =
  | { readonly kind: 'authenticated'; readonly client: Client }
  /** No credentials at all; each endpoint knows whether that can be enough. */
  | { readonly kind: 'anonymous' }
  | ({ readonly kind: 'refused' } & Refusal);

/** At once where the credentials are known already, which they nearly always are. */
export function authenticateClient(
  services: Services,
  request: Request,
  application: Application,
  params: Params,
): ClientAuthentication | Promise<ClientAuthentication> {
  const authorization = header(request, 'authorization') ?? '';
  const secret = params.get('client_secret');
  const claimed = params.get('client_id');
  if (authorization === '') {
    if (secret === undefined) return { kind: 'anonymous' };
    const posted = { clientId: claimed ?? '', secret };
    return check(services, request, application, `post ${posted.clientId}\0${secret}`, () => [posted]);
  }
  if (secret !== undefined) return refused('severalClientAuthentications');
  if (!/^basic\b/i.test(authorization)) return refused('clientNotAuthenticated');
  const outcome = check(services, request, application, authorization, () => basicCredentials(authorization));
  if (claimed === undefined) return outcome;
  return outcome instanceof Promise ? outcome.then(made => unlessOther(made, claimed)) : unlessOther(outcome, claimed);
}

/** Who proves to be one client must not claim to be another. */
function unlessOther(outcome: ClientAuthentication, claimed: string): ClientAuthentication {
  if (outcome.kind !== 'authenticated' || claimed === outcome.client.client_id) return outcome;
  return refused('severalClientAuthentications', outcome.client.client_id);
}

function refused(name: FailureName, client?: string): ClientAuthentication {
  return { kind: 'refused', failure: failure(name), client };
}

interface Credentials {
  readonly clientId: string;
  readonly secret: string;
}

/**
 * The same credentials come with every request of a client: once verified, they are recognised by their hash, which takes a
 * tenth of the time. Looking up a hash tells an attacker nothing about the secret. They are recognised only where they come
 * from the same address again: elsewhere they may be a guess, and guesses are counted.
 */
function check(
  services: Services,
  request: Request,
  application: Application,
  presented: string,
  readings: () => readonly Credentials[],
): ClientAuthentication | Promise<ClientAuthentication> {
  const { address } = request;
  const credentials = hash('sha256', `${application.code} ${address} ${presented}`, 'base64');
  const known = services.registry.verifiedClient(credentials);
  if (known) return { kind: 'authenticated', client: known };
  // The same credentials many times at once are one attempt, as from a busy client to a node that has just started.
  const verifying = services.registry.verifyOnce(credentials, () => {
    const plausible = readings().filter(({ clientId }) => isClientId(clientId));
    return verify(services, address, application.code, credentials, plausible);
  });
  return withinTime(verifying, request.receivedAt, services.config.databaseTimeoutMs);
}

async function verify(
  services: Services,
  address: string,
  app: string,
  credentials: string,
  readings: readonly Credentials[],
): Promise<ClientAuthentication> {
  const { admitted, counted, wait } = await admit(services, app, address, readings);
  if (admitted.length === 0) return refusal(services, app, readings, wait);
  try {
    const client = await clientBehind(services, app, admitted);
    if (client) {
      for (const attempt of counted) {
        if (attempt.clientId === client.client_id) services.throttle.succeeded(attempt);
        else services.throttle.withdrawn(attempt);
      }
      services.registry.noteVerified(credentials, app, client);
      return { kind: 'authenticated', client };
    }
  } catch (fault) {
    for (const attempt of counted) services.throttle.withdrawn(attempt);
    throw fault;
  }
  return refusal(services, app, readings, wait);
}

interface Admitted {
  /** The readings whose secret may be compared. */
  readonly admitted: readonly Credentials[];
  /** The attempts that were counted for them. */
  readonly counted: readonly ClientAttempt[];
  /** Above 0: some attempts are used up. */
  readonly wait: number;
}

/** Counts an attempt for each reading of the credentials, before anything is compared. */
async function admit(
  { throttle }: Services,
  app: string,
  address: string,
  readings: readonly Credentials[],
): Promise<Admitted> {
  const admitted: Credentials[] = [];
  const counted: ClientAttempt[] = [];
  let longest = 0;
  for (const reading of readings) {
    const { clientId, secret } = reading;
    const attempt: ClientAttempt = {
      kind: 'client',
      app,
      clientId,
      address,
      secretDigest: hash('sha256', secret, 'base64'),
    };
    const { wait, known } = await throttle.admit(attempt);
    if (wait === 0) counted.push(attempt);
    if (wait === 0 || known) admitted.push(reading);
    longest = Math.max(longest, wait);
  }
  return { admitted, counted, wait: longest };
}

/** One and the same for a client that exists and for one that does not, whether or not the secret was compared. */
function refusal(
  { registry }: Services,
  app: string,
  readings: readonly Credentials[],
  wait: number,
): ClientAuthentication {
  // For the log. What is no client_id of the application may be a secret in the wrong place, and is not named.
  const client = readings.find(({ clientId }) => registry.cachedClient(app, clientId))?.clientId;
  if (wait === 0) return refused('clientAuthenticationFailed', client);
  return { kind: 'refused', failure: failure('tooManyClientAttempts'), retryAfter: wait, client };
}

async function clientBehind(
  { registry, ring }: Services,
  app: string,
  readings: readonly Credentials[],
): Promise<Client | undefined> {
  for (const { clientId, secret } of readings) {
    // From its own start: requests of different age wait for it.
    const client = await registry.client(app, clientId);
    if (client?.secret_hash === undefined) continue;
    if (ring.verifyClientSecret(app, clientId, secret, client.secret_hash)) return client;
  }
  return undefined;
}

/** For the log: a client_id that was only claimed. What is none of the application may be a secret in the wrong place. */
export async function existingClientId(
  { registry }: Services,
  { receivedAt }: Request,
  { code }: Application,
  claimed: string | undefined,
): Promise<string | undefined> {
  if (claimed === undefined || !isClientId(claimed)) return undefined;
  return (await registry.client(code, claimed, receivedAt))?.client_id;
}

/** No client_id that can be registered is longer (applications/registration.ts). */
const MAX_CLIENT_ID_LENGTH = 128;

/** What is none is looked for nowhere: a database may be unable to, and it would fill the memory of the throttle. */
function isClientId(text: string): boolean {
  return text !== '' && text.length <= MAX_CLIENT_ID_LENGTH && !text.includes('\0');
}

/**
 * Basic credentials in both readings: the raw `id:secret` of the interface, and form-encoded before base64 as RFC 6749
 * section 2.3.1 has it. They differ only where an identifier or secret holds a percent or plus sign.
 */
function basicCredentials(authorization: string): Credentials[] {
  const encoded = /^basic +([A-Za-z0-9+/_-]+=*) *$/i.exec(authorization)?.[1];
  const text = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString();
  const colon = text.indexOf(':');
  if (colon < 0) return [];
  const raw = { clientId: text.slice(0, colon), secret: text.slice(colon + 1) };
  const decoded = { clientId: formDecode(raw.clientId), secret: formDecode(raw.secret) };
  if (decoded.clientId === undefined || decoded.secret === undefined) return [raw];
  if (decoded.clientId === raw.clientId && decoded.secret === raw.secret) return [raw];
  return [raw, decoded as Credentials];
}

function formDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

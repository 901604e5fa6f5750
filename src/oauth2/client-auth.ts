import { hash } from 'node:crypto';
import { header, type Request } from '../message.ts';
import type { Application, Client } from '../protocol/client.ts';
import { type Failure, failure } from '../protocol/errors.ts';
import type { Params } from '../protocol/params.ts';
import type { Services } from '../services.ts';

/** RFC 6749 section 2.3: who is calling? */
export type ClientAuthentication =
  | { readonly kind: 'authenticated'; readonly client: Client }
  /** No credentials at all; each endpoint knows whether that can be enough. */
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'refused'; readonly failure: Failure };

interface Credentials {
  readonly clientId: string;
  readonly secret: string;
}

/** At once where the credentials are known already, which they nearly always are. */
export function authenticateClient(
  services: Services,
  request: Request,
  application: Application,
  params: Params,
): ClientAuthentication | Promise<ClientAuthentication> {
  const authorization = header(request, 'authorization') ?? '';
  const posted = postedCredentials(params);
  if (authorization === '') {
    return posted ? check(services, application, [posted]) : { kind: 'anonymous' };
  }
  if (posted) return refused('severalClientAuthentications');
  if (!/^basic\b/i.test(authorization)) return refused('clientNotAuthenticated');
  const outcome = checkBasic(services, application, authorization);
  const claimed = params.get('client_id');
  if (claimed === undefined) return outcome;
  return outcome instanceof Promise ? outcome.then(made => unlessOther(made, claimed)) : unlessOther(outcome, claimed);
}

/** Who proves to be one client must not claim to be another. */
function unlessOther(outcome: ClientAuthentication, claimed: string): ClientAuthentication {
  if (outcome.kind !== 'authenticated' || claimed === outcome.client.client_id) return outcome;
  return refused('severalClientAuthentications');
}

/**
 * The same header comes with every request of a client: once verified, it is recognised by its hash, which takes a tenth
 * of the time. Looking up a hash tells an attacker nothing about the secret.
 */
function checkBasic(
  services: Services,
  application: Application,
  authorization: string,
): ClientAuthentication | Promise<ClientAuthentication> {
  const credentials = hash('sha256', `${application.code} ${authorization}`, 'base64');
  const known = services.registry.verifiedClient(credentials);
  return known
    ? { kind: 'authenticated', client: known }
    : verifyBasic(services, application, authorization, credentials);
}

async function verifyBasic(
  services: Services,
  application: Application,
  authorization: string,
  credentials: string,
): Promise<ClientAuthentication> {
  const outcome = await check(services, application, basicCredentials(authorization));
  if (outcome.kind === 'authenticated') {
    services.registry.noteVerified(credentials, application.code, outcome.client);
  }
  return outcome;
}

function refused(name: Parameters<typeof failure>[0]): ClientAuthentication {
  return { kind: 'refused', failure: failure(name) };
}

function postedCredentials(params: Params): Credentials | undefined {
  const clientId = params.get('client_id');
  const secret = params.get('client_secret');
  return secret === undefined ? undefined : { clientId: clientId ?? '', secret };
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

async function check(
  { registry, ring }: Services,
  application: Application,
  readings: readonly Credentials[],
): Promise<ClientAuthentication> {
  for (const { clientId, secret } of readings) {
    // No identifier holds a NUL, and a database may be unable to look for one.
    if (clientId.includes('\0')) continue;
    const client = await registry.client(application.code, clientId);
    if (client?.secret_hash === undefined) continue;
    if (ring.verifyClientSecret(application.code, clientId, secret, client.secret_hash)) {
      return { kind: 'authenticated', client };
    }
  }
  return refused('clientAuthenticationFailed');
}

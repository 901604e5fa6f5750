import { hash } from 'node:crypto';
import type { Application } from '../../directory/applications/rules.ts';
import type { Client } from '../../directory/clients/rules.ts';
import { MAX_LIFETIME_SECONDS } from '../../people/sign-in/pending-request.ts';
import type { Services } from '../../services.ts';

/** RFC 9126 section 2.2: the name of a pushed request. It is good once, for a minute, and only for the client that pushed it. */
const URN = 'urn:ietf:params:oauth:request_uri:';
export const PUSHED_LIFETIME_SECONDS = 60;
const ID_BYTES = 32;
/**
 * A request of a client of FAPI 2.0 stays until its answer takes it, so that a page that is loaded again is no second use (FAPI 2.0 Security
 * Profile section 5.3.2.2). It stays as long as a person may be on the pages of the sign-in; its name leads there for a minute alone.
 */
const KEPT_SECONDS = MAX_LIFETIME_SECONDS;

type PushingClient = Pick<Client, 'client_id' | 'profile'>;

export function isPushed(requestUri: string | undefined): requestUri is string {
  return requestUri?.startsWith(URN) ?? false;
}

/** `text`: the parameters of the request, form-encoded. */
export async function pushRequest(
  { store, random, clock, ring }: Services,
  { code }: Application,
  { client_id: clientId, profile }: PushingClient,
  text: string,
): Promise<string> {
  const requestUri = URN + random.bytes(ID_BYTES).toString('base64url');
  const sealed = ring.seal('pushed request', Buffer.from(text), code);
  const expiresAt = clock.now() + PUSHED_LIFETIME_SECONDS + (profile === undefined ? 0 : KEPT_SECONDS);
  await store.addPushedRequest(code, { idHash: idHashOf(requestUri), clientId, sealed, expiresAt });
  return requestUri;
}

/** The parameters that were pushed. They are spent, except where `spendPushedRequest` does that. Undefined: there are none any more. */
export async function openPushedRequest(
  { store, clock, ring }: Services,
  { code }: Application,
  { client_id: clientId, profile }: PushingClient,
  requestUri: string,
): Promise<string | undefined> {
  const idHash = idHashOf(requestUri);
  const sealed =
    profile === undefined
      ? await store.takePushedRequest(code, idHash, clientId, clock.now())
      : await store.readPushedRequest(code, idHash, clientId, clock.now() + KEPT_SECONDS);
  return sealed && ring.open('pushed request', sealed, code)?.toString();
}

/** How a sealed request names the pushed one that it came from. */
export function pushedIdOf(requestUri: string): string {
  return idHashOf(requestUri).toString('base64url');
}

/** Before the answer to a client of FAPI 2.0. False: it was answered before. */
export async function spendPushedRequest(
  { store, clock }: Services,
  { code }: Application,
  { client_id: clientId }: PushingClient,
  pushedId: string,
): Promise<boolean> {
  const taken = await store.takePushedRequest(code, Buffer.from(pushedId, 'base64url'), clientId, clock.now());
  return taken !== undefined;
}

function idHashOf(requestUri: string): Buffer {
  return hash('sha256', requestUri, 'buffer');
}

import { hash } from 'node:crypto';
import type { Application } from '../../directory/applications/rules.ts';
import type { Services } from '../../services.ts';

/** RFC 9126 section 2.2: the name of a pushed request. It is good once, for a minute, and only for the client that pushed it. */
const URN = 'urn:ietf:params:oauth:request_uri:';
export const PUSHED_LIFETIME_SECONDS = 60;
const ID_BYTES = 32;

export function isPushed(requestUri: string | undefined): requestUri is string {
  return requestUri?.startsWith(URN) ?? false;
}

/** `text`: the parameters of the request, form-encoded. */
export async function pushRequest(
  { store, random, clock, ring }: Services,
  { code }: Application,
  clientId: string,
  text: string,
): Promise<string> {
  const requestUri = URN + random.bytes(ID_BYTES).toString('base64url');
  const sealed = ring.seal('pushed request', Buffer.from(text), code);
  const expiresAt = clock.now() + PUSHED_LIFETIME_SECONDS;
  await store.addPushedRequest(code, { idHash: idHashOf(requestUri), clientId, sealed, expiresAt });
  return requestUri;
}

export async function takePushedRequest(
  { store, clock, ring }: Services,
  { code }: Application,
  clientId: string,
  requestUri: string,
): Promise<string | undefined> {
  const sealed = await store.takePushedRequest(code, idHashOf(requestUri), clientId, clock.now());
  return sealed && ring.open('pushed request', sealed, code)?.toString();
}

function idHashOf(requestUri: string): Buffer {
  return hash('sha256', requestUri, 'buffer');
}

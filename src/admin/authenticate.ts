import { header, type Request } from '../message.ts';
import type { Failure } from '../protocol/errors.ts';
import { failure } from '../protocol/errors.ts';
import type { Services } from '../services.ts';
import { hashApiKey, isApiKey } from './api-key.ts';
import type { Caller } from './caller.ts';

type Authentication = { readonly caller: Caller } | { readonly failure: Failure; readonly retryAfter?: number };

/** How seldom the use of a key is written down. */
const USE_STEP_SECONDS = 60;

/** RFC 6750 section 2.1: an API key or an operator's access token comes as a bearer token. */
export async function authenticate(services: Services, request: Request): Promise<Authentication> {
  const presented = /^bearer +(\S+) *$/i.exec(header(request, 'authorization') ?? '')?.[1];
  if (presented === undefined) return { failure: failure('operatorUnknown') };
  const caller = isApiKey(presented) ? await callerOfKey(services, request, presented) : undefined;
  return caller ? { caller } : { failure: failure('operatorKeyInvalid') };
}

async function callerOfKey(
  { store, clock }: Services,
  { receivedAt }: Request,
  key: string,
): Promise<Caller | undefined> {
  const now = clock.now();
  const found = await store.findApiKey(hashApiKey(key), now, receivedAt);
  if (!found) return undefined;
  if ((found.lastUsedAt ?? 0) + USE_STEP_SECONDS <= now) await store.noteApiKeyUse(found.id, now, receivedAt);
  return { actor: { kind: 'api_key', id: found.id }, role: found.role, applications: found.applications };
}

import type { Application } from '../../directory/applications/rules.ts';
import type { Client } from '../../directory/clients/rules.ts';
import type { Entries } from '../../platform/http/params.rules.ts';
import { keptImport } from '../../platform/kept-import.ts';
import type { Services } from '../../services.ts';
import { verifyWithKeys } from '../client-authentication/jwt-verifier.ts';
import { issuerFor } from '../discovery/issuer.ts';
import { DEFAULT_CONTENT_ENCRYPTION } from '../encryption/algorithms.rules.ts';
import { claimsFault, parametersIn, type RequestObjectFault, readRequestObject } from './request-object.rules.ts';

const loadDecryption = keptImport(() => import('../encryption/decrypt.ts'));

export type OpenedRequest =
  /** The parameters of the request: what stood beside the object does not count (RFC 9101 section 6.3). */
  | { readonly kind: 'opened'; readonly parameters: Entries }
  | { readonly kind: 'invalid'; readonly fault: RequestObjectFault };

/** The parameters that the client has signed. */
export async function openRequest(
  services: Services,
  application: Application,
  client: Client,
  object: string,
): Promise<OpenedRequest> {
  const inside = isEncrypted(object) ? await decrypted(services, application, client, object) : { text: object };
  if (typeof inside === 'string') return { kind: 'invalid', fault: inside };
  const jwt = readRequestObject(inside.text, client);
  if (!jwt) return { kind: 'invalid', fault: 'malformed' };
  const fault = claimsFault(jwt, client, issuerFor(services, application), services.clock.now());
  if (fault) return { kind: 'invalid', fault };
  const verdict = await verifyWithKeys(services.keySets.of(client), client, jwt);
  return verdict === 'verified'
    ? { kind: 'opened', parameters: parametersIn(jwt) }
    : { kind: 'invalid', fault: verdict };
}

/** A JWE has five parts (RFC 7516 section 7.1). */
function isEncrypted(object: string): boolean {
  return object.split('.', 5).length === 5;
}

/** RFC 9101 section 6.1: decrypted first, and what is inside must be signed. */
async function decrypted(
  services: Services,
  { code }: Application,
  client: Client,
  object: string,
): Promise<{ readonly text: string } | RequestObjectFault> {
  const { request_object_encryption_alg: alg, request_object_encryption_enc: enc = DEFAULT_CONTENT_ENCRYPTION } =
    client;
  if (alg === undefined || object.length > MAX_ENCRYPTED_LENGTH) return alg === undefined ? 'encryption' : 'malformed';
  const { decryptFor } = await loadDecryption();
  return decryptFor(services, code, object, { alg, enc });
}

/** Of a request object of the greatest length, in base64url, with the key. */
const MAX_ENCRYPTED_LENGTH = 12_288;

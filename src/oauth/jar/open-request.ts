import type { Application } from '../../directory/applications/rules.ts';
import type { Client } from '../../directory/clients/rules.ts';
import type { Services } from '../../services.ts';
import { verifyWithKeys } from '../client-authentication/jwt-verifier.ts';
import { issuerFor } from '../discovery/issuer.ts';
import { claimsFault, parametersIn, type RequestObjectFault, readRequestObject } from './request-object.rules.ts';

export type OpenedRequest =
  /** The parameters of the request, as a form: what stood beside the object does not count (RFC 9101 section 6.3). */
  { readonly kind: 'opened'; readonly text: string } | { readonly kind: 'invalid'; readonly fault: RequestObjectFault };

/** The parameters that the client has signed. */
export async function openRequest(
  services: Services,
  application: Application,
  client: Client,
  object: string,
): Promise<OpenedRequest> {
  const jwt = readRequestObject(object);
  if (!jwt) return { kind: 'invalid', fault: 'malformed' };
  const fault = claimsFault(jwt, client, issuerFor(services, application), services.clock.now());
  if (fault) return { kind: 'invalid', fault };
  const verdict = await verifyWithKeys(services.keySets, client, jwt);
  return verdict === 'verified' ? { kind: 'opened', text: parametersIn(jwt) } : { kind: 'invalid', fault: verdict };
}

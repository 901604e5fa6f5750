import type { Application } from '../../directory/applications/rules.ts';
import { clientOrNone, type FoundClient, findClient } from '../../directory/client-id-metadata/find-client.ts';
import type { Client } from '../../directory/clients/rules.ts';
import { failure } from '../../failures.ts';
import type { Refusal, Request } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import type { Services } from '../../services.ts';
import { missingCertificate } from '../mtls/missing.ts';
import { isClientId } from './client-id.ts';

/**
 * token_endpoint_auth_method none (RFC 7591 section 2): a public client names itself by client_id and proves nothing. Each
 * endpoint and grant decides whether that is enough; the code, token or verifier that it holds is then the only proof.
 */
export function isPublicClient(client: Client): boolean {
  return client.token_endpoint_auth_method === 'none';
}

/** The client that the form body names, proved or not. */
export async function claimedClient(
  services: Services,
  request: Request,
  application: Application,
  params: Params,
): Promise<FoundClient> {
  const clientId = params.get('client_id');
  if (clientId === undefined || !isClientId(clientId)) return undefined;
  return findClient(services, application, clientId, request);
}

/** For the log. A client_id that does not exist is not logged: it may be a secret in the wrong place. */
export async function claimedClientId(...call: Parameters<typeof claimedClient>): Promise<string | undefined> {
  return clientOrNone(await claimedClient(...call))?.client_id;
}

/** Without credentials where some are needed: as the interface says, and for a client of FAPI 2.0 as RFC 6749 section 5.2 does (row 63). */
export function withoutCredentials(client: Client | undefined): Refusal {
  const reason = client?.profile === undefined ? 'clientNotAuthenticated' : 'clientAuthenticationFailed';
  return { failure: failure(reason), client: client?.client_id };
}

/** Of a client that authenticates by a certificate, and has shown none. */
export function withoutCertificate(services: Services, request: Request, { client_id: client }: Client): Refusal {
  const facts = { certificate: missingCertificate(services, request) };
  return { failure: failure('clientAuthenticationFailed'), client, facts };
}

/** To a program, an address that gives no client is what every unknown client is (row 32). */
export function refusedClaim(refusal: Refusal): Refusal {
  if (refusal.failure.name !== 'clientDocumentInvalid') return refusal;
  return { ...refusal, failure: failure('clientAuthenticationFailed') };
}

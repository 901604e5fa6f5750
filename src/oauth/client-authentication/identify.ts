import type { Application } from '../../directory/applications/rules.ts';
import { type Client, isByCertificate } from '../../directory/clients/rules.ts';
import { failure } from '../../failures.ts';
import type { Refusal, Request } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import type { Services } from '../../services.ts';
import { authenticateClient } from './authenticate.ts';
import {
  claimedClient,
  isPublicClient,
  refusedClaim,
  withoutCertificate,
  withoutCredentials,
} from './public-client.ts';

/** An authenticated client, or a public one that names itself. One that does not exist is refused as at the token endpoint (RFC 6749 section 5.2). */
export async function identifyClient(
  services: Services,
  request: Request,
  application: Application,
  params: Params,
): Promise<Client | Refusal> {
  const authentication = await authenticateClient(services, request, application, params);
  if (authentication.kind === 'refused') return authentication;
  if (authentication.kind === 'authenticated') return authentication.client;
  const client = await claimedClient(services, request, application, params);
  if (client && 'failure' in client) return refusedClaim(client);
  if (client && isPublicClient(client)) return client;
  if (client && isByCertificate(client.token_endpoint_auth_method))
    return withoutCertificate(services, request, client);
  const isUnknown = client === undefined && params.get('client_id') !== undefined;
  if (isUnknown) return { failure: failure('clientAuthenticationFailed') };
  return withoutCredentials(client);
}

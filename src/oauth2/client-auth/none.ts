import type { Request } from '../../message.ts';
import type { Application, Client } from '../../protocol/client.ts';
import type { Params } from '../../protocol/params.ts';
import type { Services } from '../../services.ts';
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
  { registry }: Services,
  { receivedAt }: Request,
  { code }: Application,
  params: Params,
): Promise<Client | undefined> {
  const clientId = params.get('client_id');
  return clientId !== undefined && isClientId(clientId) ? registry.client(code, clientId, receivedAt) : undefined;
}

/** For the log. A client_id that does not exist is not logged: it may be a secret in the wrong place. */
export async function claimedClientId(...call: Parameters<typeof claimedClient>): Promise<string | undefined> {
  return (await claimedClient(...call))?.client_id;
}

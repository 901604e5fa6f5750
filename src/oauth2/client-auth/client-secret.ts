import type { Client } from '../../protocol/client.ts';
import type { Services } from '../../services.ts';
import type { ClientCredentials } from './method.ts';

/** Both secret methods: the secret is stored as an HMAC and compared in constant time (row 33). */
export function verifyClientSecret(
  { ring }: Services,
  app: string,
  client: Client,
  { clientId, secret }: ClientCredentials,
): boolean {
  return client.secret_hash !== undefined && ring.verifyClientSecret(app, clientId, secret, client.secret_hash);
}

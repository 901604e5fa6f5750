import type { Client } from '../../protocol/client.ts';
import type { Services } from '../../services.ts';
import type { ClientCredentials } from './method.ts';

/** Both secret methods: the secret is stored as an HMAC and compared in constant time (row 33). A replaced one may still be valid. */
export function verifyClientSecret(
  { ring, clock }: Services,
  app: string,
  { secret_hash, previous_secrets = [] }: Client,
  { clientId, secret }: ClientCredentials,
): boolean {
  const isRight = (hash: string) => ring.verifyClientSecret(app, clientId, secret, hash);
  if (secret_hash === undefined) return false;
  return (
    isRight(secret_hash) || previous_secrets.some(({ hash, expires_at }) => expires_at > clock.now() && isRight(hash))
  );
}

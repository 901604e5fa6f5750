import type { Verdict, Verification } from './method.ts';

/**
 * Both secret methods: the secret is stored as an HMAC and compared in constant time (row 33). A replaced one may still be valid. A
 * client of either may use the other; one that is registered for assertions has to sign.
 */
export function verifyClientSecret({ services: { ring, clock }, app, client, credentials }: Verification): Verdict {
  const { token_endpoint_auth_method: method, secret_hash, previous_secrets = [] } = client;
  if (method === 'client_secret_jwt' || method === 'private_key_jwt') return 'method';
  const { clientId, secret } = credentials;
  const isRight = (hash: string) => ring.verifyClientSecret(app, clientId, secret, hash);
  if (secret_hash === undefined) return 'wrong';
  const isFormer = () => previous_secrets.some(({ hash, expires_at }) => expires_at > clock.now() && isRight(hash));
  return isRight(secret_hash) || isFormer() ? 'verified' : 'wrong';
}

import type { KeyRing } from '../../platform/crypto/key-ring.ts';
import type { Client } from './rules.ts';

/** The fields of a client that hold its secret. */
export interface StoredSecret {
  readonly secret_hash: string;
  readonly sealed_secret: string | undefined;
}

/**
 * A secret as it is stored: an HMAC, by which a presented secret is recognised. Only client_secret_jwt needs the secret itself, as the
 * key of its signatures (OpenID Connect Core section 9), so only then it is sealed beside the HMAC, under the same secret of the server.
 */
export function storedSecret(
  ring: Pick<KeyRing, 'hashClientSecret' | 'seal'>,
  app: string,
  clientId: string,
  secret: string,
  method: Client['token_endpoint_auth_method'],
): StoredSecret {
  const sealed = () => ring.seal('client secret', Buffer.from(secret), contextOf(app, clientId)).toString('base64url');
  return {
    secret_hash: ring.hashClientSecret(app, clientId, secret),
    sealed_secret: method === 'client_secret_jwt' ? sealed() : undefined,
  };
}

/** The secrets that are valid at this time, as far as the server keeps them. */
export function validSecrets(ring: Pick<KeyRing, 'open'>, app: string, client: Client, now: number): Buffer[] {
  const { client_id, sealed_secret, previous_secrets = [] } = client;
  const former = previous_secrets.filter(({ expires_at }) => expires_at > now).map(({ sealed }) => sealed);
  return [sealed_secret, ...former].flatMap(sealed => {
    const secret = sealed && ring.open('client secret', Buffer.from(sealed, 'base64url'), contextOf(app, client_id));
    return secret ? [secret] : [];
  });
}

/** A sealed secret that was copied to another client does not open there. */
function contextOf(app: string, clientId: string): string {
  return `client secret ${app} ${clientId}`;
}

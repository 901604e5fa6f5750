import { failure } from '../../failures.ts';
import { GUARDED, param } from '../../platform/http/message.ts';
import type { Handler } from '../../services.ts';
import { ownKeysOf } from '../federation/own-keys.ts';
import { thumbprintOf } from './client.ts';

/** GET /login/provider/{id}/jwks: the keys with which this server authenticates there (private_key_jwt). */
export const ownKeys: Handler = async (services, request) => {
  const id = param(request, 'id');
  const provider = (await services.registry.providers()).find(each => each.id === id);
  if (provider?.token_endpoint_auth_method !== 'private_key_jwt') return { failure: failure('notFound') };
  const keys = (await ownKeysOf(services, provider)).map(({ publicKey }) => {
    const { kty, n, e } = publicKey.export({ format: 'jwk' });
    return { kty, n, e, kid: thumbprintOf(publicKey), alg: 'RS256', use: 'sig' };
  });
  return {
    status: 200,
    headers: { 'content-type': 'application/jwk-set+json', 'cache-control': 'no-cache', ...GUARDED },
    body: JSON.stringify({ keys }),
  };
};

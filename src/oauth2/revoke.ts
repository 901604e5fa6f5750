import { isForm, NOT_STORED, type Reply } from '../message.ts';
import { failure, parameterFailure } from '../protocol/errors.ts';
import { parseParams } from '../protocol/params.ts';
import type { Endpoint } from '../services.ts';
import { authenticateClient } from './client-auth.ts';
import { locateToken } from './look-up.ts';

/** RFC 7009. A token that is unknown, or another client's, is answered like one that was revoked (section 2.2). */
export const revoke: Endpoint = async (services, request, application) => {
  const { receivedAt } = request;
  if (!isForm(request)) return { failure: failure('contentTypeInvalid') };
  const params = parseParams(request.body);
  const fault = params.fault(['token', 'token_type_hint', 'client_id', 'client_secret']);
  if (fault) return { failure: parameterFailure(fault) };

  const authentication = await authenticateClient(services, request, application, params);
  if (authentication.kind === 'refused') return authentication;
  let client = authentication.kind === 'authenticated' ? authentication.client : undefined;
  if (!client) {
    // A public client names itself; the token it wants gone is the proof.
    const named = await services.registry.client(application.code, params.get('client_id') ?? '', receivedAt);
    if (named?.token_endpoint_auth_method !== 'none') {
      return { failure: failure('clientNotAuthenticated'), client: named?.client_id };
    }
    client = named;
  }

  const token = params.get('token');
  if (token === undefined) return { failure: failure('parameterMissing', 'token'), client: client.client_id };
  const located = await locateToken(services, application, token);
  if (located?.kind === 'access') {
    await services.store.revokeAccessToken(application.code, located.hash, client.client_id, receivedAt);
  } else if (located) {
    const now = services.clock.now();
    await services.store.revokeRefreshToken(application.code, located.hash, client.client_id, now, receivedAt);
  }
  return REVOKED;
};

const REVOKED: Reply = { status: 200, headers: NOT_STORED, body: '' };

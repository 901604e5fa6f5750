import { clientActor, requestEvent } from '../events/request-event.ts';
import { isForm, NOT_STORED, type Refusal, type Reply, type Request } from '../message.ts';
import type { Application, Client } from '../protocol/client.ts';
import { failure, parameterFailure } from '../protocol/errors.ts';
import { type Params, parseParams } from '../protocol/params.ts';
import type { Endpoint, Services } from '../services.ts';
import { authenticateClient } from './client-auth/authenticate.ts';
import { clientAuthParameters } from './client-auth/methods.ts';
import { claimedClient, isPublicClient } from './client-auth/none.ts';
import { locateJwt, locateOpaque } from './token-lookup.ts';

/** RFC 7009. A token that is unknown, or another client's, is answered like one that was revoked (section 2.2). */
export const revoke: Endpoint = async (services, request, application) => {
  const { receivedAt } = request;
  if (!isForm(request)) return { failure: failure('contentTypeInvalid') };
  const params = parseParams(request.body);
  const fault = params.fault(KNOWN);
  if (fault) return { failure: parameterFailure(fault) };

  const client = await identify(services, request, application, params);
  if ('failure' in client) return client;

  const token = params.get('token');
  if (token === undefined) return { failure: failure('parameterMissing', 'token'), client: client.client_id };
  const located = locateOpaque(token) ?? (await locateJwt(services, application, token));
  if (!located) return REVOKED;
  const { code: app } = application;
  const { client_id: clientId } = client;
  const event = requestEvent(services, request, {
    type: 'token.revoked',
    outcome: 'success',
    actor: clientActor(clientId),
    app,
    clientId,
    details: { token: located.kind === 'access' ? 'access_token' : 'refresh_token' },
  });
  const { store, clock } = services;
  if (located.kind === 'access') await store.revokeAccessToken(app, located.hash, clientId, event, receivedAt);
  else await store.revokeRefreshToken(app, located.hash, clientId, clock.now(), event, receivedAt);
  return REVOKED;
};

/** An authenticated client, or a public one that names itself: the token that it revokes is the proof. */
async function identify(
  services: Services,
  request: Request,
  application: Application,
  params: Params,
): Promise<Client | Refusal> {
  const authentication = await authenticateClient(services, request, application, params);
  if (authentication.kind === 'refused') return authentication;
  if (authentication.kind === 'authenticated') return authentication.client;
  const client = await claimedClient(services, request, application, params);
  if (client && isPublicClient(client)) return client;
  return { failure: failure('clientNotAuthenticated'), client: client?.client_id };
}

const KNOWN = ['token', 'token_type_hint', ...clientAuthParameters];
const REVOKED: Reply = { status: 200, headers: NOT_STORED, body: '' };

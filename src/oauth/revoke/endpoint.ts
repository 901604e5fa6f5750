import { clientActor, requestEvent } from '../../audit/events/request-event.ts';
import { failure, parameterFailure } from '../../failures.ts';
import { isForm, NOT_STORED, type Reply } from '../../platform/http/message.ts';
import type { Endpoint } from '../../services.ts';
import { identifyClient } from '../client-authentication/identify.ts';
import { clientAuthParameters } from '../client-authentication/methods.ts';
import { locateJwt, locateOpaque } from '../token/lookup.ts';

/** RFC 7009. A token that is unknown, or another client's, is answered like one that was revoked (section 2.2). */
export const revoke: Endpoint = async (services, request, application) => {
  if (!isForm(request)) return { failure: failure('contentTypeInvalid') };
  const params = request.form;
  const fault = params.fault(KNOWN);
  if (fault) return { failure: parameterFailure(fault) };

  // A public client names itself: the token that it revokes is the proof.
  const client = await identifyClient(services, request, application, params);
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
  if (located.kind === 'access') await store.revokeAccessToken(app, located.hash, clientId, event);
  else await store.revokeRefreshToken(app, located.hash, clientId, clock.now(), event);
  return REVOKED;
};

const KNOWN = ['token', 'token_type_hint', ...clientAuthParameters];
const REVOKED: Reply = { status: 200, headers: NOT_STORED, body: '' };

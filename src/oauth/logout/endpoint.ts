import type { Application } from '../../directory/applications/rules.ts';
import { clientOrNone, findClient } from '../../directory/client-id-metadata/find-client.ts';
import { type Client, isSelfRegistered } from '../../directory/clients/rules.ts';
import { failure, parameterFailure } from '../../failures.ts';
import { sessionEndedEvent } from '../../people/sessions/session-ended.ts';
import { carriesSession, currentSession } from '../../people/sessions/sessions.ts';
import type { LiveSession } from '../../people/sessions/store.ts';
import { type Answer, isForm, NOTHING, type Request, redirect } from '../../platform/http/message.ts';
import { encodeForUrl, encodeParams, type Params } from '../../platform/http/params.rules.ts';
import type { Endpoint, Services } from '../../services.ts';
import { issuerFor } from '../discovery/issuer.ts';
import { readIdTokenHint } from '../pairwise/id-token-hint.ts';
import type { IdTokenHint } from '../signing-keys/verifier.ts';
import { finishLogout } from './finish.ts';
import type { LogoutReturn, PendingLogout } from './rules.ts';

/**
 * OpenID Connect RP-Initiated Logout. With an ID token of the current session, the session ends at once; otherwise the
 * user is asked first (/logout), because any web page can send a browser here.
 */
export const logout: Endpoint = async (services, request, application) => {
  if (request.method === 'HEAD') return NOTHING;
  if (request.method === 'POST' && !isForm(request)) return { failure: failure('contentTypeInvalid') };
  const params = request.method === 'POST' ? request.form : request.queryParams;
  const fault = params.fault(['id_token_hint', 'client_id', 'post_logout_redirect_uri', 'state']);
  if (fault) return { failure: parameterFailure(fault) };

  const hint = await readHint(services, application, params);
  const client = await namedClient(services, request, application, params, hint);
  if (client === 'mismatch') {
    const facts = hint ? { hintClient: hint.clientId } : {};
    return { failure: failure('logoutClientMismatch'), facts };
  }
  const returnTo = params.get('post_logout_redirect_uri');
  if (returnTo !== undefined && !client?.post_logout_redirect_uris.includes(returnTo)) {
    const expected = 'a post_logout_redirect_uri registered for the client, character by character';
    return {
      failure: failure('postLogoutRedirectUriUntrusted'),
      expected,
      received: returnTo,
      client: client?.client_id,
    };
  }

  // A browser sends another site's POST without SameSite=Lax cookies; with the GET after the redirect it sends them.
  if (request.method === 'POST' && !carriesSession(services, request)) {
    return redirect(`${issuerFor(services, application)}/logout?${encodeForUrl(request.body)}`, 303);
  }
  const session = await currentSession(services, request);
  const isProved = session !== undefined && isOfSession(hint, session);
  // Anybody can register an address: without the ID token of the session that ends, this would redirect to any (RFC 9700 section 4.11).
  const isReturned = isProved || !client || !isSelfRegistered(client);
  const target: LogoutReturn = { redirectUri: isReturned ? returnTo : undefined, state: params.get('state') };
  if (session && !isProved) {
    return askFirst(services, request, { ...target, uiLocales: params.get('ui_locales'), app: application.code });
  }
  const place = { reason: 'logout', app: application.code, clientId: client?.client_id } as const;
  const event = sessionEndedEvent(services, request, place);
  return finishLogout(services, request, session, { ...target, uiLocales: params.get('ui_locales') }, event);
};

/**
 * Whether the ID token was issued for this very session. One of an older session, or of none, ends nothing without
 * confirmation.
 */
function isOfSession(hint: IdTokenHint | undefined, { sid, user }: LiveSession): boolean {
  return hint?.sub === user.sub && hint.sid === sid;
}

/** An ID token that this server did not issue is ignored; an expired one is accepted (section 2). */
async function readHint(
  services: Services,
  application: Application,
  params: Params,
): Promise<IdTokenHint | undefined> {
  const token = params.get('id_token_hint');
  if (token === undefined) return undefined;
  return readIdTokenHint(services, application, token);
}

async function namedClient(
  services: Services,
  request: Request,
  application: Application,
  params: Params,
  hint: IdTokenHint | undefined,
): Promise<Client | 'mismatch' | undefined> {
  const clientId = params.get('client_id') ?? hint?.clientId;
  if (clientId === undefined) return undefined;
  if (hint && hint.clientId !== clientId) return 'mismatch';
  return clientOrNone(await findClient(services, application, clientId, request)) ?? 'mismatch';
}

function askFirst({ pending, config }: Services, request: Request, content: PendingLogout): Answer {
  const { sealed, cookies } = pending.begin(request, 'logout', content);
  return redirect(`${config.baseUrl}/logout?${encodeParams([['pending', sealed]])}`, 302, cookies);
}

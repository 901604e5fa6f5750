import { providerName } from '../../directory/providers/rules.ts';
import { failure } from '../../failures.ts';
import { logoutLocation } from '../../oauth/logout/rules.ts';
import { type Answer, header, param, type Request, redirect } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { formPostPage } from '../../platform/ui/form-post.html.ts';
import { chooseLocale } from '../../platform/ui/locale.rules.ts';
import type { Services } from '../../services.ts';
import { connected, connectorOf } from '../federation/begin.ts';
import type { ConnectedProvider, ProviderFault } from '../federation/connector.ts';
import { type EndedName, isEnded } from '../federation/person.rules.ts';
import { federationText } from '../federation/text.ts';
import { sessionEndedEvent } from '../sessions/session-ended.ts';
import { nameHash, opened } from './keep.ts';
import { providerSessionsNamed, takeProviderSession } from './queries.ts';

/**
 * The provider ends sessions of a person by itself, through the browser (SAML profiles section 4.4.3). Which ones, its message says: the
 * browser brings no cookies with a post, and may be another one than that of the session.
 */
export async function endThere(services: Services, request: Request, posted: Params | undefined): Promise<Answer> {
  const id = param(request, 'id');
  const registered = (await services.registry.providers()).find(each => each.id === id && each.sign_out === true);
  const connector = registered && (await connectorOf({ services }, registered));
  if (!registered || !connector?.endedThere) return { failure: failure('notFound') };
  const provider = connected({ services }, registered);
  const ended = await connector.endedThere({
    services,
    provider,
    address: `${services.config.baseUrl}/login/provider/${id}/signed-out`,
    query: request.query,
    posted,
  });
  if (ended.kind === 'failed') return refused(services, request, provider, ended.fault);
  await endSessions(services, request, id, ended.named);
  const answer = await ended.answer();
  if (!answer) {
    return redirect(logoutLocation(services.config.baseUrl, { redirectUri: undefined, state: undefined }), 303);
  }
  if (answer.kind === 'redirect') return redirect(answer.url, 303);
  const locale = chooseLocale(undefined, header(request, 'accept-language'));
  const title = federationText[locale].leaving(providerName(provider));
  return formPostPage(locale, title, answer.url, Object.entries(answer.fields));
}

function refused(
  { log }: Services,
  request: Request,
  { id, name }: ConnectedProvider,
  { kind, reason }: ProviderFault,
): Answer {
  const { address } = request;
  log.info('provider.refused', { request: request.id, provider: id, reason: kind, detail: reason, address });
  const refusal = kind === 'unavailable' ? 'providerUnavailable' : 'providerSignOutRefused';
  return { failure: failure(refusal), facts: { provider: { id, name, reason } } };
}

async function endSessions(services: Services, request: Request, provider: string, ended: EndedName): Promise<void> {
  // Once more: one that is gone under its name may have become that of a session meanwhile.
  if (await endNamed(services, request, provider, ended)) await endNamed(services, request, provider, ended);
}

/** Whether one had another name when it was to be removed. What waits for a second factor opens no session without it. */
async function endNamed(services: Services, request: Request, provider: string, ended: EndedName): Promise<boolean> {
  const { store, ring, clock } = services;
  const event = sessionEndedEvent(services, request, { reason: 'provider' });
  let isAnyGone = false;
  for (const stored of await providerSessionsNamed(store.cold, nameHash(provider, ended.nameId))) {
    const session = opened(ring, stored)?.named;
    if (!session || !isEnded(session, ended)) continue;
    await store.endSession({ sub: stored.sub, sid: stored.id }, clock.now(), event);
    if (!(await takeProviderSession(store.cold, stored.id))) isAnyGone = true;
  }
  return isAnyGone;
}

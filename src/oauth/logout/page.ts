import { failure } from '../../failures.ts';
import { signOutTargets } from '../../people/provider-sessions/sign-out.ts';
import { sessionEndedEvent } from '../../people/sessions/session-ended.ts';
import { currentSession } from '../../people/sessions/sessions.ts';
import { header, type Refusal, type Reply, type Request, redirect } from '../../platform/http/message.ts';
import { type Brand, brandOf } from '../../platform/ui/brand.ts';
import { chooseLocale } from '../../platform/ui/locale.rules.ts';
import { refuseForeignForm } from '../../platform/ui/own-form.ts';
import type { Handler, Services } from '../../services.ts';
import { framesFor } from '../frontchannel-logout/told.ts';
import { type EndedLogout, finishLogout } from './finish.ts';
import { confirmLogoutPage, signedOutPage } from './html.ts';
import { logoutLocation, type PendingLogout } from './rules.ts';

/** For a logout that the user started, not a client. */
const TO_OWN_PAGE = { redirectUri: undefined, state: undefined, uiLocales: undefined };

/**
 * /logout: asks for confirmation if the client did not prove that it belongs to this session (endpoint.ts), and confirms that
 * the user is signed out. endpoint.ts checked the address to return to before it was sealed.
 */
export const showLogout: Handler = async (services, request) => {
  const sealed = request.queryParams.get('pending');
  const pending = services.pending.open<PendingLogout>(request, sealed, 'logout')?.content;
  if (sealed !== undefined && !pending) return expired(services, request, sealed);
  const locale = chooseLocale(pending?.uiLocales, header(request, 'accept-language'));
  const session = await currentSession(services, request);
  if (session) {
    const brand = await brandFrom(services, pending?.app);
    const returnTo = pending?.redirectUri;
    const through = await signOutTargets(services, session);
    return confirmLogoutPage({ locale, brand, username: session.user.username, pending: sealed, returnTo, through });
  }
  if (pending) return redirect(logoutLocation(services.config.baseUrl, pending), 303);
  const ended = services.pending.open<EndedLogout>(request, request.queryParams.get('ended'), 'ended-logout')?.content;
  return ended ? showEnded(services, request, ended) : signedOutPage({ locale });
};

/** The page that tells the clients of the session, each in a frame, and goes on to where the logout was to lead. */
async function showEnded(services: Services, request: Request, ended: EndedLogout): Promise<Reply> {
  const locale = chooseLocale(ended.uiLocales, header(request, 'accept-language'));
  const frames = await framesFor(services, ended.told, ended);
  const next = ended.redirectUri === undefined ? undefined : logoutLocation(services.config.baseUrl, ended);
  return signedOutPage({ locale, frames, next });
}

export const submitLogout: Handler = async (services, request) => {
  const foreign = refuseForeignForm(services.config.baseUrl, request);
  if (foreign) return foreign;
  const sealed = request.form.get('pending');
  const pending = services.pending.open<PendingLogout>(request, sealed, 'logout')?.content;
  if (sealed !== undefined && !pending) return expired(services, request, sealed);
  const event = sessionEndedEvent(services, request, { reason: 'logout' });
  return finishLogout(services, request, await currentSession(services, request), pending ?? TO_OWN_PAGE, event);
};

async function brandFrom({ registry, config }: Services, app: string | undefined): Promise<Brand | undefined> {
  const application = app === undefined ? undefined : await registry.application(app);
  return application && brandOf(config.baseUrl, application);
}

function expired({ pending }: Services, request: Request, sealed: string): Refusal {
  return { failure: failure('pendingRequestExpired'), facts: { pending: pending.faultOf(request, sealed, 'logout') } };
}

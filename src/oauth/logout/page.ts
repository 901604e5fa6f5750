import { failure } from '../../failures.ts';
import { sessionEndedEvent } from '../../people/sessions/session-ended.ts';
import { currentSession, endSession } from '../../people/sessions/sessions.ts';
import { header, type Refusal, type Request, redirect } from '../../platform/http/message.ts';
import { type Brand, brandOf } from '../../platform/ui/brand.ts';
import { chooseLocale } from '../../platform/ui/locale.rules.ts';
import { refuseForeignForm } from '../../platform/ui/own-form.ts';
import type { Handler, Services } from '../../services.ts';
import { confirmLogoutPage, signedOutPage } from './html.ts';
import { type LogoutReturn, logoutLocation, type PendingLogout } from './rules.ts';

/** For a logout that the user started, not a client. */
const TO_OWN_PAGE: LogoutReturn = { redirectUri: undefined, state: undefined };

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
    return confirmLogoutPage({ locale, brand, username: session.user.username, pending: sealed, returnTo });
  }
  return pending ? redirect(logoutLocation(services.config.baseUrl, pending), 303) : signedOutPage(locale);
};

export const submitLogout: Handler = async (services, request) => {
  const foreign = refuseForeignForm(services.config.baseUrl, request);
  if (foreign) return foreign;
  const sealed = request.form.get('pending');
  const pending = services.pending.open<PendingLogout>(request, sealed, 'logout')?.content;
  if (sealed !== undefined && !pending) return expired(services, request, sealed);
  const location = logoutLocation(services.config.baseUrl, pending ?? TO_OWN_PAGE);
  return redirect(location, 303, [
    await endSession(services, request, sessionEndedEvent(services, request, { reason: 'logout' })),
  ]);
};

async function brandFrom({ registry, config }: Services, app: string | undefined): Promise<Brand | undefined> {
  const application = app === undefined ? undefined : await registry.application(app);
  return application && brandOf(config.baseUrl, application);
}

function expired({ pending }: Services, request: Request, sealed: string): Refusal {
  return { failure: failure('pendingRequestExpired'), facts: { pending: pending.faultOf(request, sealed, 'logout') } };
}

import { leave } from '../accounts/leave.ts';
import { currentSession, endSession } from '../accounts/sessions.ts';
import { type Answer, header } from '../message.ts';
import { chooseLocale } from '../pages/locale.ts';
import { confirmLogoutPage, signedOutPage } from '../pages/logout-pages.ts';
import { parseParams } from '../protocol/params.ts';
import type { Page, Services } from '../services.ts';
import { refuseForeignForm } from './own-form.ts';
import { EXPIRED, type OpenedPage, openPage } from './pending-page.ts';

/** /logout: asks before it signs somebody out whom no client can vouch for, and says when it is done. */
export const showLogout: Page = async (services, request) => {
  const sealed = parseParams(request.query).get('pending');
  const opened = openPage(services, request, sealed, 'logout');
  if (sealed !== undefined && !opened) return EXPIRED;
  const locale = opened?.locale ?? chooseLocale(undefined, header(request, 'accept-language'));
  const session = await currentSession(services, request);
  if (!session) return opened ? leavePage(services, opened, []) : signedOutPage(locale);
  const returnTo = opened?.asked.get('post_logout_redirect_uri');
  return confirmLogoutPage({ locale, username: session.user.username, pending: opened?.sealed, returnTo });
};

export const submitLogout: Page = async (services, request) => {
  const foreign = refuseForeignForm(services.config, request);
  if (foreign) return foreign;
  const sealed = parseParams(request.body).get('pending');
  const opened = openPage(services, request, sealed, 'logout');
  if (sealed !== undefined && !opened) return EXPIRED;
  return leavePage(services, opened, [await endSession(services, request)]);
};

/** oauth2/logout.ts has checked the address before it was sealed. */
function leavePage({ config }: Services, opened: OpenedPage | undefined, cookies: string[]): Answer {
  const { asked } = opened ?? {};
  return leave(config.baseUrl, asked?.get('post_logout_redirect_uri'), asked?.get('state'), cookies);
}

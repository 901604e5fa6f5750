import { loginName } from '../../directory/users/login-name.rules.ts';
import { failure } from '../../failures.ts';
import { MAX_WAITING_MAILS } from '../../notify/mail/queue.ts';
import { type Answer, header, type Reply, type Request, userAgentOf } from '../../platform/http/message.ts';
import type { MailAttempt } from '../../platform/throttle/attempts.ts';
import { brandOf } from '../../platform/ui/brand.ts';
import { chooseLocale } from '../../platform/ui/locale.rules.ts';
import { refuseForeignForm } from '../../platform/ui/own-form.ts';
import type { Handler, Services } from '../../services.ts';
import { MAX_WAITING_SIGN_IN_LENGTH } from '../email/confirmation.ts';
import { openSignIn, placeOf } from '../sign-in/progress.ts';
import { newForgottenPassword } from './deferred-mail.ts';
import { type Came, forgotPasswordPage, linkSentPage, noMailPage } from './reset.html.ts';
import type { ResetContext } from './resets.store.ts';

const BUSY_SECONDS = 10;

/** /forgot-password: asks for a link to a new password, by mail. */
export const showForgotPassword: Handler = async (services, request) =>
  services.config.mail
    ? forgotPasswordPage({
        locale: localeOf(request),
        ...(await cameFrom(services, request, request.queryParams.get('pending'))),
      })
    : noMailPage(localeOf(request));

/**
 * The application and its request, for the eyes of the browser that the sealed sign-in belongs to; in another one the page is the same as
 * without. Nothing of it depends on who the person is.
 */
async function cameFrom(services: Services, request: Request, pending: string | undefined): Promise<Came> {
  const signIn = openSignIn(services, request, pending);
  if (!signIn) return {};
  const { baseUrl } = services.config;
  const { authorization } = signIn.progress;
  const application = authorization && (await services.registry.application(authorization.app));
  return {
    brand: application && brandOf(baseUrl, application),
    pending,
    back: `${baseUrl}${placeOf(signIn)}`,
  };
}

/**
 * Only queues the request: whether there is such a user is looked up by a job (deferred-mail.ts). So answer and time are
 * the same for every name, without any effort to make them so.
 */
export const submitForgotPassword: Handler = async (services, request) => {
  const { config, throttle } = services;
  if (!config.mail) return noMailPage(localeOf(request));
  const foreign = refuseForeignForm(config.baseUrl, request);
  if (foreign) return foreign;
  const form = request.form;
  const typed = form.get('username')?.trim() ?? '';
  const pending = form.get('pending');
  if (typed === '') return missingName(request, await cameFrom(services, request, pending));
  const attempt: MailAttempt = { kind: 'mail', address: request.address };
  const { wait } = await throttle.admit(attempt);
  if (wait > 0) return { failure: failure('tooManyMailRequests'), retryAfter: wait };
  // Text that cannot be a login name is handled like an unknown one.
  const context = contextOf(services, request, pending);
  return queue(services, request, loginName(typed) ?? '', context, await cameFrom(services, request, pending));
};

/** The sign-in that the person came from, in this browser, for as long as the link works. Anything else is left out. */
function contextOf(services: Services, request: Request, sealed: string | undefined): ResetContext | undefined {
  const signIn = openSignIn(services, request, sealed);
  if (!signIn) return undefined;
  const app = signIn.progress.authorization?.app;
  const pending = services.pending.seal(services.pending.prolonged(signIn.pending));
  return pending.length > MAX_WAITING_SIGN_IN_LENGTH ? { app } : { app, pending };
}

function missingName(request: Request, came: Came): Reply {
  const page = forgotPasswordPage({ locale: localeOf(request), isMissing: true, ...came });
  return { ...page, refusal: { failure: failure('parameterMissing', 'username') } };
}

async function queue(
  services: Services,
  request: Request,
  name: string,
  context: ResetContext | undefined,
  came: Came,
): Promise<Answer> {
  const locale = localeOf(request);
  const entry = newForgottenPassword(services, {
    loginName: name,
    context,
    locale,
    requestId: request.id,
    address: request.address,
    userAgent: userAgentOf(request),
  });
  const isQueued = await services.store.addMail(entry, MAX_WAITING_MAILS);
  return isQueued ? linkSentPage(locale, came) : { failure: failure('serverBusy'), retryAfter: BUSY_SECONDS };
}

function localeOf(request: Request) {
  return chooseLocale(undefined, header(request, 'accept-language'));
}

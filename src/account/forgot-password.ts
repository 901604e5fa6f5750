import { MAX_WAITING_MAILS, newForgottenPassword } from '../mail/queue.ts';
import { type Answer, header, type Reply, type Request, userAgentOf } from '../message.ts';
import { chooseLocale } from '../pages/locale.ts';
import { refuseForeignForm } from '../pages/own-form.ts';
import { failure } from '../protocol/errors.ts';
import { loginName } from '../protocol/login-name.ts';
import { parseParams } from '../protocol/params.ts';
import type { Page, Services } from '../services.ts';
import type { MailAttempt } from '../throttle.ts';
import { forgotPasswordPage, linkSentPage } from './password-pages.ts';

const BUSY_SECONDS = 10;

/** /forgot-password: asks for a link to a new password, by mail. */
export const showForgotPassword: Page = async ({ config }, request) =>
  config.mail ? forgotPasswordPage({ locale: localeOf(request) }) : { failure: failure('notFound') };

/**
 * Only queues the request: whether there is such a user is looked up by a job (jobs/forgotten-passwords.ts). So answer and time are
 * the same for every name, without any effort to make them so.
 */
export const submitForgotPassword: Page = async (services, request) => {
  const { config, throttle } = services;
  if (!config.mail) return { failure: failure('notFound') };
  const foreign = refuseForeignForm(config.baseUrl, request);
  if (foreign) return foreign;
  const typed = parseParams(request.body).get('username')?.trim() ?? '';
  if (typed === '') return missingName(request);
  const attempt: MailAttempt = { kind: 'mail', address: request.address };
  const { wait } = await throttle.admit(attempt);
  if (wait > 0) return { failure: failure('tooManyMailRequests'), retryAfter: wait };
  // Text that cannot be a login name is handled like an unknown one.
  return queue(services, request, loginName(typed) ?? '');
};

function missingName(request: Request): Reply {
  const page = forgotPasswordPage({ locale: localeOf(request), isMissing: true });
  return { ...page, refusal: { failure: failure('parameterMissing', 'username') } };
}

async function queue(services: Services, request: Request, name: string): Promise<Answer> {
  const locale = localeOf(request);
  const entry = newForgottenPassword(services, {
    loginName: name,
    locale,
    requestId: request.id,
    address: request.address,
    userAgent: userAgentOf(request),
  });
  const isQueued = await services.store.addMail(entry, MAX_WAITING_MAILS, request.receivedAt);
  return isQueued ? linkSentPage(locale) : { failure: failure('serverBusy'), retryAfter: BUSY_SECONDS };
}

function localeOf(request: Request) {
  return chooseLocale(undefined, header(request, 'accept-language'));
}

import { requestEvent, userActor } from '../../audit/events/request-event.ts';
import { failure } from '../../failures.ts';
import { passwordChangedMail } from '../../notify/mail/messages.ts';
import { newMail } from '../../notify/mail/queue.ts';
import { type Answer, header, type Refusal, type Request } from '../../platform/http/message.ts';
import type { AccountAttempt } from '../../platform/throttle/attempts.ts';
import { type Brand, brandOf } from '../../platform/ui/brand.ts';
import { chooseLocale } from '../../platform/ui/locale.rules.ts';
import { refuseForeignForm } from '../../platform/ui/own-form.ts';
import type { Handler, Services } from '../../services.ts';
import { rememberUser } from '../known-browsers/known-browser.ts';
import { openSignIn, placeOf } from '../sign-in/progress.ts';
import { passwordSetPage, resetPasswordPage } from './reset.html.ts';
import { resetTokenHash } from './reset-token.ts';
import type { PasswordReset } from './resets.store.ts';

/** /reset-password: sets a new password with the link of a mail. Opening the link changes nothing: programs that check mails do so too. */
export const showResetPassword: Handler = async (services, request) => {
  const token = request.queryParams.get('token') ?? '';
  const reset = await findReset(services, token);
  if (!reset) return LINK_INVALID;
  const { username, isInvitation } = reset;
  const application = await applicationOf(services, reset);
  const minLength = application?.password_min_length;
  const brand = application && brandOf(services.config.baseUrl, application);
  return resetPasswordPage({ locale: localeOf(request), brand, token, username, isInvitation, minLength });
};

export const submitResetPassword: Handler = async (services, request) => {
  const foreign = refuseForeignForm(services.config.baseUrl, request);
  if (foreign) return foreign;
  const form = request.form;
  const token = form.get('token') ?? '';
  const reset = await findReset(services, token);
  if (!reset) return LINK_INVALID;
  const password = form.get('password') ?? '';
  const { username, email, isInvitation } = reset;
  const application = await applicationOf(services, reset);
  const { name, password_min_length: minLength } = application ?? {};
  const brand = application && brandOf(services.config.baseUrl, application);
  const fault = await services.newPasswords.check(password, { username, email, application: name, minLength });
  if (!fault) return setPassword(services, request, token, { ...reset, brand }, password);
  const page = resetPasswordPage({ locale: localeOf(request), brand, token, username, isInvitation, minLength, fault });
  return { ...page, refusal: { failure: failure('parameterInvalid', 'password'), sub: reset.sub } };
};

/** The one whose sign-in the person came from. */
async function applicationOf({ registry }: Services, { context }: PasswordReset) {
  return context?.app === undefined ? undefined : registry.application(context.app);
}

/** In the browser of that sign-in, as long as it lasts, the person can go on with it. */
function resumeOf(services: Services, request: Request, { context }: PasswordReset): string | undefined {
  const signIn = openSignIn(services, request, context?.pending);
  return signIn && `${services.config.baseUrl}${placeOf(signIn)}`;
}

const LINK_INVALID: Refusal = { failure: failure('resetLinkInvalid') };

function findReset({ store, clock }: Services, token: string): Promise<PasswordReset | undefined> {
  return store.findPasswordReset(resetTokenHash(token), clock.now());
}

async function setPassword(
  services: Services,
  request: Request,
  token: string,
  reset: PasswordReset & { readonly brand: Brand | undefined },
  password: string,
): Promise<Answer> {
  const { store, clock, passwords, throttle, log } = services;
  const { sub } = reset;
  // Each form costs a hash, and one link could be sent many times at once.
  const attempt: AccountAttempt = { kind: 'account', account: `reset ${sub}` };
  const { wait } = await throttle.admit(attempt);
  if (wait > 0) return { failure: failure('tooManyAttempts'), retryAfter: wait, sub };
  const passwordHash = await passwords.hashInTurn(password);
  const act = { event: changedEvent(services, request, reset), mail: changedMail(services, request, reset) };
  const isSet = await store.resetPassword(resetTokenHash(token), passwordHash, clock.now(), act);
  if (!isSet) return { ...LINK_INVALID, sub };
  throttle.succeeded(attempt);
  log.info('password.reset', { request: request.id, sub, address: request.address });
  // The link came to the user's mailbox. In this browser the user need not wait because others guess the password. It proves no second
  // factor, whose codes are counted with those of everybody.
  const resume = resumeOf(services, request, reset);
  const page = passwordSetPage({
    locale: localeOf(request),
    brand: reset.brand,
    isInvitation: reset.isInvitation,
    resume,
  });
  const remembered = rememberUser(services, request, sub, 'oneFactor');
  return { ...page, headers: { ...page.headers, 'set-cookie': [remembered] } };
}

function changedEvent(services: Services, request: Request, { sub, isInvitation }: PasswordReset) {
  return requestEvent(services, request, {
    type: 'user.password.changed',
    outcome: 'success',
    actor: userActor(sub),
    subject: sub,
    details: { reason: isInvitation ? 'invitation' : 'reset' },
  });
}

/** An invited user sets a first password: there is nothing to warn of. */
function changedMail(services: Services, request: Request, { username, email, isInvitation }: PasswordReset) {
  if (isInvitation) return undefined;
  const { baseUrl } = services.config;
  const content = passwordChangedMail({ locale: localeOf(request), username, baseUrl });
  return newMail(services, { ...content, name: 'password changed', to: email });
}

function localeOf(request: Request) {
  return chooseLocale(undefined, header(request, 'accept-language'));
}

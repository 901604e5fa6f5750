import { resetTokenHash } from '../accounts/reset-token.ts';
import { requestEvent, userActor } from '../events/request-event.ts';
import { passwordChangedMail } from '../mail/messages.ts';
import { newMail } from '../mail/queue.ts';
import { type Answer, header, type Refusal, type Request } from '../message.ts';
import { chooseLocale } from '../pages/locale.ts';
import { refuseForeignForm } from '../pages/own-form.ts';
import { failure } from '../protocol/errors.ts';
import { parseParams } from '../protocol/params.ts';
import type { Page, Services } from '../services.ts';
import type { PasswordReset } from '../store/password-resets.ts';
import type { AccountAttempt } from '../throttle.ts';
import { passwordSetPage, resetPasswordPage } from './password-pages.ts';

/** /reset-password: sets a new password with the link of a mail. Opening the link changes nothing: programs that check mails do so too. */
export const showResetPassword: Page = async (services, request) => {
  const token = parseParams(request.query).get('token') ?? '';
  const reset = await findReset(services, request, token);
  return reset ? resetPasswordPage({ locale: localeOf(request), token, ...reset }) : LINK_INVALID;
};

export const submitResetPassword: Page = async (services, request) => {
  const foreign = refuseForeignForm(services.config.baseUrl, request);
  if (foreign) return foreign;
  const form = parseParams(request.body);
  const token = form.get('token') ?? '';
  const reset = await findReset(services, request, token);
  if (!reset) return LINK_INVALID;
  const password = form.get('password') ?? '';
  const { username, email } = reset;
  const fault = await services.newPasswords.check(password, { username, email });
  if (!fault) return setPassword(services, request, token, reset, password);
  return resetPasswordPage({ locale: localeOf(request), token, ...reset, fault });
};

const LINK_INVALID: Refusal = { failure: failure('resetLinkInvalid') };

function findReset({ store, clock }: Services, request: Request, token: string): Promise<PasswordReset | undefined> {
  return store.findPasswordReset(resetTokenHash(token), clock.now(), request.receivedAt);
}

async function setPassword(
  services: Services,
  request: Request,
  token: string,
  reset: PasswordReset,
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
  const isSet = await store.resetPassword(resetTokenHash(token), passwordHash, clock.now(), act, request.receivedAt);
  if (!isSet) return { ...LINK_INVALID, sub };
  throttle.succeeded(attempt);
  log.info('password.reset', { request: request.id, sub, address: request.address });
  return passwordSetPage(localeOf(request), reset.isInvitation);
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

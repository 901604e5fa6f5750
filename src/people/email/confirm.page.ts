import { MIN_PASSWORD_LENGTH } from '../../directory/applications/rules.ts';
import { failure } from '../../failures.ts';
import { type Answer, header, type Refusal, type Request, redirect } from '../../platform/http/message.ts';
import { encodeParams, type Params } from '../../platform/http/params.rules.ts';
import { chooseLocale } from '../../platform/ui/locale.rules.ts';
import { refuseForeignForm } from '../../platform/ui/own-form.ts';
import type { Handler, Services } from '../../services.ts';
import { openVisit, type Visit } from '../sign-in/visit.ts';
import { finishSignUp } from '../sign-up/code.step.ts';
import type { SignUpFault } from '../sign-up/html.ts';
import { createAccount } from '../sign-up/new-account.ts';
import { typedUsername } from '../sign-up/typed-names.rules.ts';
import { findByLink, type Presented } from './codes.ts';
import { addressConfirmedPage, confirmAddressPage, setUpAccountPage } from './confirm.html.ts';
import type { OwnAddress, SignUp } from './confirmation.ts';
import { confirmOwnAddress } from './confirmed-address.ts';

/**
 * /confirm-email: the link of a mail that confirms an address. Opening it changes nothing: programs that check mails do so too. In the
 * browser that asked for the mail, the sign-in goes on.
 *
 * A sign-up that is confirmed in another browser gets a password there. Whoever typed the first one need not own the mailbox: with that
 * password, a stranger could prepare an account for somebody else and wait until its owner confirms it.
 */
export const showConfirmEmail: Handler = async (services, request) => {
  const token = request.queryParams.get('token') ?? '';
  const presented = await findByLink(services, token);
  if (!presented) return LINK_INVALID;
  const { confirmation } = presented;
  const shown = { locale: localeOf(request), token, email: confirmation.email };
  if (confirmation.purpose !== 'sign-up') return confirmAddressPage({ ...shown, redirectUri: undefined });
  const visit = await visitOf(services, request, confirmation);
  if (!visit) return renderSetUp(services, request, { token, signUp: confirmation });
  return confirmAddressPage({ ...shown, redirectUri: visit.target?.request.redirectUri });
};

export const submitConfirmEmail: Handler = async (services, request) => {
  const foreign = refuseForeignForm(services.config.baseUrl, request);
  if (foreign) return foreign;
  const form = request.form;
  const token = form.get('token') ?? '';
  const presented = await findByLink(services, token);
  if (!presented) return LINK_INVALID;
  const { confirmation } = presented;
  if (confirmation.purpose !== 'sign-up') return confirmOwn(services, request, presented, confirmation);
  const visit = await visitOf(services, request, confirmation);
  if (visit) return finishSignUp(visit, presented);
  return setUpAccount(services, request, form, { token, signUp: confirmation, presented });
};

const LINK_INVALID: Refusal = { failure: failure('mailLinkInvalid') };

/** The sign-in that asked for the mail, if this is its browser and it is not over. */
async function visitOf(services: Services, request: Request, { pending }: SignUp): Promise<Visit | undefined> {
  if (pending === undefined) return undefined;
  const visit = await openVisit(services, request, pending);
  return 'failure' in visit ? undefined : visit;
}

async function confirmOwn(
  services: Services,
  request: Request,
  { waiting }: Presented,
  address: OwnAddress,
): Promise<Answer> {
  const { sub, pending } = address;
  const locale = localeOf(request);
  const state = await services.store.emailStateOf(sub, waiting.id, services.clock.now());
  const person = { locale, username: state?.username ?? '' };
  if (!(await confirmOwnAddress(services, request, waiting, address, person))) return { ...LINK_INVALID, sub };
  const isHere = pending !== undefined && services.pending.open(request, pending, 'sign-in') !== undefined;
  if (!isHere) return addressConfirmedPage(locale, 'verified');
  return redirect(`${services.config.baseUrl}/login/verify-email?${encodeParams([['pending', pending]])}`, 303);
}

interface Link {
  readonly token: string;
  readonly signUp: SignUp;
}

async function setUpAccount(
  services: Services,
  request: Request,
  form: Params,
  link: Link & { readonly presented: Presented },
): Promise<Answer> {
  const { signUp, presented } = link;
  const name = form.get('username')?.trim() ?? '';
  const username = name === '' ? undefined : typedUsername(name);
  const again = (fault: SignUpFault) => refuseSetUp(services, request, { ...link, username: name, fault });
  if (username === undefined && name !== '') return again({ field: 'username' });
  const password = form.get('password') ?? '';
  const { app, email } = signUp;
  const application = await services.registry.application(app);
  const names = { email, username, application: application?.name, minLength: application?.password_min_length };
  const fault = await services.newPasswords.check(password, names);
  if (fault) return again({ field: 'password', fault });
  // Each form costs a hash, and one link could be sent many times at once.
  const { wait } = await services.throttle.admit({ kind: 'account', account: `sign-up ${presented.waiting.id}` });
  if (wait > 0) return { failure: failure('tooManyAttempts'), retryAfter: wait, app };
  const passwordHash = await services.passwords.hashInTurn(password);
  const created = await createAccount(services, request, presented, signUp, { username, passwordHash });
  if (created.kind === 'refused') return created.refusal;
  if (created.kind === 'nameTaken') return again({ field: 'username', isTaken: true });
  return addressConfirmedPage(localeOf(request), 'signedUp');
}

async function refuseSetUp(
  services: Services,
  request: Request,
  shown: Link & { readonly username: string; readonly fault: SignUpFault },
): Promise<Answer> {
  const page = await renderSetUp(services, request, shown);
  return { ...page, refusal: { failure: failure('parameterInvalid', shown.fault.field), app: shown.signUp.app } };
}

async function renderSetUp(
  { registry }: Services,
  request: Request,
  { token, signUp, username, fault }: Link & { readonly username?: string; readonly fault?: SignUpFault },
) {
  const application = await registry.application(signUp.app);
  return setUpAccountPage({
    locale: localeOf(request),
    token,
    email: signUp.email,
    username: username ?? signUp.username ?? '',
    minLength: application?.password_min_length ?? MIN_PASSWORD_LENGTH,
    fault,
  });
}

function localeOf(request: Request) {
  return chooseLocale(undefined, header(request, 'accept-language'));
}

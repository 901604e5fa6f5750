import { failure } from '../../failures.ts';
import type { Answer, Refusal } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { refuseForeignForm } from '../../platform/ui/own-form.ts';
import type { Handler, Services } from '../../services.ts';
import { refuseMailFlood } from '../email/request-confirmation.ts';
import type { PasswordFault } from '../password/password.rules.ts';
import { brandFor, namesOf, openVisit, type Target, type Visit } from '../sign-in/visit.ts';
import { type SignUpFault, signUpPage } from './html.ts';
import { sendSignUpMail } from './mail.ts';
import { offersSignUp } from './new-account.ts';
import { typedEmail, typedUsername } from './typed-names.rules.ts';

/**
 * /signup: a person makes an account while an application waits. The page only sends a mail: the account is created when its code is
 * typed on /login/verify-email, or its link is opened. So whoever types the address of somebody else gets nothing, and learns nothing.
 */
export const showSignUp: Handler = async (services, request) => {
  const visit = await openSignUp(services, request, request.queryParams.get('pending'));
  return 'failure' in visit ? visit : render(visit);
};

/**
 * The same for every address: the password is hashed, the request is queued, and the browser goes to the page of the code. Whether the
 * address or the user name belongs to somebody is looked up later (people/email/deferred-mail.ts).
 */
export const submitSignUp: Handler = async (services, request) => {
  const foreign = refuseForeignForm(services.config.baseUrl, request);
  if (foreign) return foreign;
  const form = request.form;
  const visit = await openSignUp(services, request, form.get('pending'));
  if ('failure' in visit) return visit;
  const typed = await readForm(visit, form);
  if ('fault' in typed) return refuse(visit, typed.fault, form);
  const flood = await refuseMailFlood(services, request);
  if (flood) return { ...flood, ...namesOf(visit) };
  const breach = await services.newPasswords.checkBreaches(typed.password);
  if (breach) return refuse(visit, { field: 'password', fault: breach }, form);
  const passwordHash = await services.passwords.tryHash(typed.password);
  if (passwordHash === undefined) return { failure: failure('hashQueueFull'), retryAfter: BUSY_SECONDS };
  const { email, username } = typed;
  return sendSignUpMail(visit, { purpose: 'sign-up', email, username, passwordHash });
};

const BUSY_SECONDS = 2;

interface SignUpVisit extends Visit {
  readonly target: Target;
}

/** Only where the application of the pending request allows it, whatever the browser was shown. */
async function openSignUp(
  services: Services,
  request: Parameters<Handler>[1],
  sealed: string | undefined,
): Promise<SignUpVisit | Refusal> {
  const visit = await openVisit(services, request, sealed);
  if ('failure' in visit) return visit;
  const { target } = visit;
  if (!target || !offersSignUp(services, target.application)) {
    return { failure: failure('signUpNotAllowed'), ...namesOf(visit) };
  }
  return { ...visit, target };
}

interface Typed {
  readonly email: string;
  readonly username: string | undefined;
  readonly password: string;
}

async function readForm(visit: SignUpVisit, form: Params): Promise<Typed | { readonly fault: SignUpFault }> {
  const email = typedEmail(form.get('email') ?? '');
  if (email === undefined) return { fault: { field: 'email' } };
  const name = form.get('username')?.trim();
  // Who types the address twice means it as the name.
  const username = name === undefined || name === '' || typedEmail(name) === email ? undefined : typedUsername(name);
  if (username === undefined && name && typedEmail(name) !== email) return { fault: { field: 'username' } };
  const password = form.get('password') ?? '';
  const fault = await judge(visit, password, { email, username });
  return fault ? { fault: { field: 'password', fault } } : { email, username, password };
}

function judge(
  { services, target }: SignUpVisit,
  password: string,
  names: { email: string; username: string | undefined },
): Promise<PasswordFault | undefined> {
  const { name, password_min_length: minLength } = target.application;
  return services.newPasswords.judge(password, { ...names, application: name, minLength });
}

function refuse(visit: SignUpVisit, fault: SignUpFault, form: Params): Answer {
  const page = render(visit, { fault, email: form.get('email'), username: form.get('username') });
  return { ...page, refusal: { failure: failure('parameterInvalid', fault.field), ...namesOf(visit) } };
}

function render(
  visit: SignUpVisit,
  typed: { fault?: SignUpFault; email?: string | undefined; username?: string | undefined } = {},
) {
  const { signIn, target, locale } = visit;
  return signUpPage({
    locale,
    brand: brandFor(visit),
    pending: signIn.sealed,
    redirectUri: target.request.redirectUri,
    minLength: target.application.password_min_length,
    email: typed.email ?? target.request.loginHint ?? '',
    username: typed.username ?? '',
    fault: typed.fault,
  });
}

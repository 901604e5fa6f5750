import { loginName } from '../../directory/users/login-name.rules.ts';
import { failure } from '../../failures.ts';
import { type Answer, type Request, redirect } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { refuseForeignForm } from '../../platform/ui/own-form.ts';
import type { Handler, Services } from '../../services.ts';
import { freshSession, localeOf } from '../second-factor/page.ts';
import { currentSession } from '../sessions/sessions.ts';
import type { LiveSession } from '../sessions/store.ts';
import { WAITING_SECONDS } from '../sign-in/pending-request.ts';
import { typedEmail } from '../sign-up/typed-names.rules.ts';
import { checkEmailCodeOf } from './codes.ts';
import type { OwnAddress } from './confirmation.ts';
import { confirmOwnAddress } from './confirmed-address.ts';
import { changeCodePage, emailPage } from './html.ts';
import { refuseMailFlood, refuseMailsOfUser, requestConfirmation } from './request-confirmation.ts';

/**
 * /account/email: the user verifies the address, or names another one. The new address counts when its mail was answered; the former one
 * gets a mail with the way back (undo.page.ts).
 */
const PATH = '/account/email';

/** What waits for the code of the mail: sealed, in the browser that asked. */
interface Waiting {
  readonly sub: string;
  readonly email: string;
}

export const showEmail: Handler = async (services, request) => {
  const session = await freshSession(services, request, PATH);
  return 'status' in session ? session : render(services, request, session);
};

export const submitEmail: Handler = async (services, request) => {
  const foreign = refuseForeignForm(services.config.baseUrl, request);
  if (foreign) return foreign;
  const form = request.form;
  if (form.get('change') !== undefined) return submitCode(services, request, form);
  const session = await freshSession(services, request, PATH);
  if ('status' in session) return session;
  return ask(services, request, session, form);
};

function render({ config }: Services, request: Request, { user }: LiveSession, fault?: 'wrong' | 'same', typed = '') {
  const { email, emailVerified } = user;
  const sendsMail = config.mail !== undefined;
  return emailPage({ locale: localeOf(request), email, emailVerified, sendsMail, fault, typed });
}

async function ask(services: Services, request: Request, session: LiveSession, form: Params): Promise<Answer> {
  const { sub, email: present, emailVerified } = session.user;
  const isVerification = form.get('action') === 'verify' && present !== undefined;
  const typed = form.get('email') ?? '';
  const email = isVerification ? present : typedEmail(typed);
  const isSame = email !== undefined && present !== undefined && loginName(email) === loginName(present);
  if (!services.config.mail) return { failure: failure('emailNotVerifiable'), sub };
  if (email === undefined || (isSame && emailVerified)) {
    const page = render(services, request, session, isSame ? 'same' : 'wrong', typed);
    return { ...page, refusal: { failure: failure('parameterInvalid', 'email'), sub } };
  }
  const flood = (await refuseMailFlood(services, request)) ?? (await refuseMailsOfUser(services, sub));
  if (flood) return { ...flood, sub };
  const waiting: Waiting = { sub, email: isSame ? present : email };
  const { id, sealed, cookies } = services.pending.begin(request, 'email', waiting, WAITING_SECONDS);
  const locale = localeOf(request);
  const confirmation: OwnAddress = {
    ...{ purpose: isSame || present === undefined ? 'verify' : 'change', sub, email: waiting.email, from: present },
    ...{ app: undefined, pending: undefined },
  };
  const busy = await requestConfirmation(services, request, { id, locale, confirmation }, session);
  if (busy) return busy;
  const page = changeCodePage({ locale, sealed, email: waiting.email });
  return cookies.length === 0 ? page : { ...page, headers: { ...page.headers, 'set-cookie': cookies } };
}

/** The session was fresh when the address was typed; the mail may take longer than that lasts. */
async function submitCode(services: Services, request: Request, form: Params): Promise<Answer> {
  const session = await currentSession(services, request);
  if (!session) return { failure: failure('signInNeeded'), facts: { form: { kind: 'sessionEnded' } } };
  const { sub, username } = session.user;
  const sealed = form.get('change') ?? '';
  const pending = services.pending.open<Waiting>(request, sealed, 'email');
  if (pending?.content.sub !== sub) {
    const fault = services.pending.faultOf(request, sealed, 'email');
    return { failure: failure('pendingRequestExpired'), facts: { pending: fault }, sub };
  }
  const locale = localeOf(request);
  const { email } = pending.content;
  const code = form.get('code');
  if (code === undefined) {
    const page = changeCodePage({ locale, sealed, email, error: 'missing' });
    return { ...page, refusal: { failure: failure('parameterMissing', 'code'), sub } };
  }
  const presented = await checkEmailCodeOf(services, request, sub, { id: pending.id, typed: code });
  if (presented === 'exhausted') return { failure: failure('codesExhausted'), sub };
  if (typeof presented === 'object' && 'wait' in presented) {
    return { failure: failure('tooManyAttempts'), retryAfter: presented.wait, sub };
  }
  const address = presented === 'wrong' ? undefined : presented.confirmation;
  const isOwn = address !== undefined && address.purpose !== 'sign-up' && address.sub === sub;
  const isDone =
    presented !== 'wrong' &&
    isOwn &&
    (await confirmOwnAddress(services, request, presented.waiting, address, { locale, username }));
  if (isDone) return redirect(`${services.config.baseUrl}${PATH}`, 303);
  const page = changeCodePage({ locale, sealed, email, error: 'wrong' });
  return { ...page, refusal: { failure: failure('codeWrong'), sub } };
}

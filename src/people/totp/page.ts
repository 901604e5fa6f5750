import { failure } from '../../failures.ts';
import type { Answer, Request } from '../../platform/http/message.ts';
import { html } from '../../platform/ui/html.ts';
import { refuseForeignForm } from '../../platform/ui/own-form.ts';
import { sharedText } from '../../platform/ui/text.ts';
import type { Handler, Services } from '../../services.ts';
import { refuseMailsOfUser } from '../email/request-confirmation.ts';
import { factorAct, freshSession, localeOf, toSecurity } from '../second-factor/page.ts';
import { stepUp } from '../second-factor/step-up.ts';
import type { LiveSession } from '../sessions/store.ts';
import { enrolPage, recoveryCodesPage } from './enrol.html.ts';
import { type ConfirmedTotp, confirmTotpKey, newTotpKey } from './enrolment.ts';

/**
 * /account/security/totp: a new key for one-time passwords. It travels sealed through the browser, bound to it and to the user, and
 * counts only when a first code has shown that the authenticator app has it.
 */
const PATH = '/account/security/totp';

interface Enrolment {
  readonly sub: string;
  /** In base32. */
  readonly key: string;
}

export const showEnrolTotp: Handler = async (services, request) => {
  const session = await freshSession(services, request, PATH);
  if ('status' in session) return session;
  if (session.hasTotp) return toSecurity(services);
  const enrolment: Enrolment = { sub: session.user.sub, key: newTotpKey(services.random) };
  const { sealed, cookies } = services.pending.begin(request, 'enrolment', enrolment);
  const page = await render(services, request, session, { enrolment, sealed });
  return cookies.length === 0 ? page : { ...page, headers: { ...page.headers, 'set-cookie': cookies } };
};

export const submitEnrolTotp: Handler = async (services, request) => {
  const foreign = refuseForeignForm(services.config.baseUrl, request);
  if (foreign) return foreign;
  const session = await freshSession(services, request, PATH);
  if ('status' in session) return session;
  const form = request.form;
  const sealed = form.get('enrolment');
  const enrolment = services.pending.open<Enrolment>(request, sealed, 'enrolment')?.content;
  if (sealed === undefined || enrolment?.sub !== session.user.sub) {
    const pending = services.pending.faultOf(request, sealed, 'enrolment');
    return { failure: failure('pendingRequestExpired'), facts: { pending }, sub: session.user.sub };
  }
  const confirmed = confirmTotpKey(services, enrolment, form.get('code') ?? '');
  if (!confirmed) {
    const page = await render(services, request, session, { enrolment, sealed, isWrong: true });
    return { ...page, refusal: { failure: failure('codeWrong'), sub: session.user.sub } };
  }
  const flood = await refuseMailsOfUser(services, session.user.sub);
  return flood ?? enrol(services, request, session, confirmed);
};

async function enrol(
  services: Services,
  request: Request,
  session: LiveSession,
  { totp, recoveryCodes: codes }: ConfirmedTotp,
): Promise<Answer> {
  const { sub } = session.user;
  const act = factorAct(services, request, session.user, 'factor.added', 'totp');
  const added = await services.store.addTotp(sub, totp, services.clock.now(), act);
  // Sent twice: the codes were shown before.
  if (!added) return toSecurity(services);
  const cookies = await stepUp(services, request, session, ['otp']);
  if (!added.withRecoveryCodes) return toSecurity(services, cookies);
  const page = recoveryCodesPage({ document: { locale: localeOf(request) }, codes, next: '/account/security' });
  return { ...page, headers: { ...page.headers, 'set-cookie': cookies } };
}

interface Shown {
  readonly enrolment: Enrolment;
  readonly sealed: string;
  readonly isWrong?: boolean;
}

function render(services: Services, request: Request, { user }: LiveSession, shown: Shown) {
  const { enrolment, sealed, isWrong = false } = shown;
  const locale = localeOf(request);
  return enrolPage({
    document: { locale },
    key: enrolment.key,
    issuer: new URL(services.config.baseUrl).host,
    username: user.username,
    action: PATH,
    sealed: ['enrolment', sealed],
    isWrong,
    after: html`<p><a href="/account/security">${sharedText[locale].cancel}</a></p>`,
  });
}

import { hashRecoveryCode, newRecoveryCodes } from '../accounts/recovery-codes.ts';
import { openSession } from '../accounts/sessions.ts';
import { sealTotpKey } from '../accounts/totp-key.ts';
import { requestEvent, userActor } from '../events/request-event.ts';
import { sessionEndedEvent } from '../events/session-ended.ts';
import type { Answer, Request } from '../message.ts';
import { refuseForeignForm } from '../pages/own-form.ts';
import { qrCode } from '../pages/qr-code.ts';
import { amrOf } from '../protocol/acr.ts';
import { failure } from '../protocol/errors.ts';
import { parseParams } from '../protocol/params.ts';
import { decodeBase32, encodeBase32, KEY_BYTES, keyUri, matchingStep } from '../protocol/totp.ts';
import type { Page, Services } from '../services.ts';
import type { LiveSession } from '../store/sessions.ts';
import { factorAct, freshSession, localeOf, toSecurity } from './security.ts';
import { enrolPage, recoveryCodesPage } from './security-pages.ts';

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

export const showEnrolTotp: Page = async (services, request) => {
  const session = await freshSession(services, request, PATH);
  if ('status' in session) return session;
  if (session.hasTotp) return toSecurity(services);
  const enrolment: Enrolment = { sub: session.user.sub, key: encodeBase32(services.random.bytes(KEY_BYTES)) };
  const { sealed, cookies } = services.pending.begin(request, 'enrolment', enrolment);
  const page = await render(services, request, session, { enrolment, sealed });
  return cookies.length === 0 ? page : { ...page, headers: { ...page.headers, 'set-cookie': cookies } };
};

export const submitEnrolTotp: Page = async (services, request) => {
  const foreign = refuseForeignForm(services.config.baseUrl, request);
  if (foreign) return foreign;
  const session = await freshSession(services, request, PATH);
  if ('status' in session) return session;
  const form = parseParams(request.body);
  const sealed = form.get('enrolment');
  const enrolment = services.pending.open<Enrolment>(request, sealed, 'enrolment')?.content;
  if (sealed === undefined || enrolment?.sub !== session.user.sub) {
    const pending = services.pending.faultOf(request, sealed, 'enrolment');
    return { failure: failure('pendingRequestExpired'), facts: { pending }, sub: session.user.sub };
  }
  const key = decodeBase32(enrolment.key);
  const step = key && matchingStep(key, form.get('code') ?? '', services.clock.now(), undefined);
  if (!key || step === undefined) {
    const page = await render(services, request, session, { enrolment, sealed, isWrong: true });
    return { ...page, refusal: { failure: failure('codeWrong'), sub: session.user.sub } };
  }
  return enrol(services, request, session, key, step);
};

async function enrol(
  services: Services,
  request: Request,
  session: LiveSession,
  key: Buffer,
  step: number,
): Promise<Answer> {
  const { sub } = session.user;
  const codes = newRecoveryCodes(services.random);
  const recoveryHashes = codes.map(code => hashRecoveryCode(sub, code));
  const totp = { sealedKey: sealTotpKey(services.ring, sub, key), step, recoveryHashes };
  const act = factorAct(services, request, session.user, 'factor.added', 'totp');
  // Sent twice: the codes were shown before.
  if (!(await services.store.addTotp(sub, totp, services.clock.now(), act, request.receivedAt))) {
    return toSecurity(services);
  }
  const cookies = await stepUp(services, request, session);
  const page = recoveryCodesPage({ locale: localeOf(request), codes });
  return { ...page, headers: { ...page.headers, 'set-cookie': cookies } };
}

/** The first code was a proof too: without it, the next page would ask for another one, 30 seconds later. */
async function stepUp(services: Services, request: Request, session: LiveSession): Promise<string[]> {
  const { sub } = session.user;
  const amr = amrOf([...session.amr, 'otp']);
  const login = { sub, passwordHash: undefined, authTime: services.clock.now(), amr, stepsUp: true };
  const who = { outcome: 'success', actor: userActor(sub), subject: sub } as const;
  const opened = await openSession(services, request, login, services.random.bytes(16).toString('base64url'), {
    succeeded: sid => requestEvent(services, request, { type: 'user.login.succeeded', ...who, details: { sid, amr } }),
    replaced: sessionEndedEvent(services, request, { reason: 'replaced' }),
  });
  return opened.kind === 'opened' ? opened.cookies : [];
}

interface Shown {
  readonly enrolment: Enrolment;
  readonly sealed: string;
  readonly isWrong?: boolean;
}

async function render(services: Services, request: Request, { user }: LiveSession, shown: Shown) {
  const { enrolment, sealed, isWrong = false } = shown;
  const issuer = new URL(services.config.baseUrl).host;
  const locale = localeOf(request);
  const qr = await qrCode(keyUri(enrolment.key, issuer, user.username), 'QR');
  return enrolPage({ locale, key: enrolment.key, qr, sealed, isWrong });
}

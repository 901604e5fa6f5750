import { failure } from '../../failures.ts';
import type { Answer, Reply } from '../../platform/http/message.ts';
import { noteLoginFailed } from '../sign-in/login-failed.ts';
import { advanceSignIn } from '../sign-in/progress.ts';
import { brandFor, namesOf, type Visit } from '../sign-in/visit.ts';
import { addressPage, type EmailCodeError, emailCodePage, namePage, verifiedPage } from './code.html.ts';

/** What the verification of an address and a sign-up share on /login/verify-email. */

interface Shown {
  readonly email: string;
  /** The person typed the address on a page before this one, and can go back to it. */
  readonly canRetype: boolean;
}

export function renderCode(visit: Visit, { email, canRetype }: Shown, error?: EmailCodeError): Reply {
  const former = canRetype ? advanceSignIn(visit.services, visit.signIn, { confirming: undefined }).sealed : undefined;
  const isSignUp = visit.signIn.progress.confirming?.purpose === 'sign-up';
  const retype =
    former === undefined ? undefined : { path: isSignUp ? '/signup' : '/login/verify-email', pending: former };
  return emailCodePage({ ...frameOf(visit), email, retype, error });
}

export function renderAddress(visit: Visit, wrong?: string): Reply {
  return addressPage({ ...frameOf(visit), wrong });
}

export function renderVerified(visit: Visit): Reply {
  return verifiedPage(frameOf(visit));
}

export function renderName(visit: Visit, username: string, isTaken: boolean): Reply {
  return namePage({ ...frameOf(visit), username, isTaken });
}

/** `sub`: undefined for a sign-up, which has no user yet. */
export function askAgain(visit: Visit, shown: Shown, error: EmailCodeError, sub?: string): Answer {
  if (error === 'wrong') noteFailed(visit, 'wrong', sub);
  const refused = error === 'missing' ? failure('parameterMissing', 'code') : failure('codeWrong');
  return { ...renderCode(visit, shown, error), refusal: { failure: refused, ...namesOf(visit), sub } };
}

export function exhausted(visit: Visit, sub?: string): Answer {
  noteFailed(visit, 'throttled', sub);
  return { failure: failure('codesExhausted'), ...namesOf(visit), sub };
}

/** The user has no code left today. */
export function throttled(visit: Visit, sub: string, wait: number): Answer {
  noteFailed(visit, 'throttled', sub);
  return { failure: failure('tooManyAttempts'), retryAfter: wait, ...namesOf(visit), sub };
}

function noteFailed(visit: Visit, kind: 'wrong' | 'throttled', sub: string | undefined): void {
  const { services, request } = visit;
  const { app, client } = namesOf(visit);
  const { id, address } = request;
  services.log.info('login.refused', { request: id, app, client, sub, address, reason: kind });
  noteLoginFailed(services, request, { kind, sub, factor: 'email' }, { app, clientId: client });
}

function frameOf(visit: Visit) {
  return {
    locale: visit.locale,
    brand: brandFor(visit),
    pending: visit.signIn.sealed,
    redirectUri: visit.target?.request.redirectUri,
  };
}

import { type FailureName, failure } from '../../failures.ts';
import type { Refusal, Request } from '../../platform/http/message.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { sharedText } from '../../platform/ui/text.ts';
import type { Services } from '../../services.ts';
import { knownBrowser } from '../known-browsers/known-browser.ts';
import type { LiveSession } from '../sessions/store.ts';
import { noteLoginFailed, reasonOf } from '../sign-in/login-failed.ts';
import { authenticatePassword, factsOf } from './authenticate.ts';
import { confirmPasswordText } from './text.ts';

export type Confirmed =
  /** The stored hash that the password was compared with. */
  { readonly kind: 'right'; readonly passwordHash: string | undefined } | ConfirmFault;

export interface ConfirmFault {
  readonly kind: 'wrong' | 'missing' | 'throttled' | 'busy';
  readonly retryAfter?: number;
  /** For the refusals that can be explained. */
  readonly refusal: Refusal;
}

const FAILURES = {
  wrong: 'credentialsWrong',
  throttled: 'tooManyAttempts',
  busy: 'hashQueueFull',
} as const satisfies Record<string, FailureName>;

/** The signed-in user types the present password once more. It is guessed at like one of a login, so it is throttled with those. */
export async function confirmPassword(
  services: Services,
  request: Request,
  { user: { sub, username } }: LiveSession,
  field: string,
  password: string | undefined,
): Promise<Confirmed> {
  if (password === undefined) return { kind: 'missing', refusal: { failure: failure('parameterMissing', field), sub } };
  const { address } = request;
  const browser = knownBrowser(services, request);
  const outcome = await authenticatePassword(services, { username, password, address, browser });
  // The name finds another user only if it was changed in this very moment.
  if (outcome.kind === 'right' && outcome.user.sub === sub) {
    return { kind: 'right', passwordHash: outcome.user.passwordHash };
  }
  const fault = outcome.kind === 'right' ? ({ kind: 'wrong', sub } as const) : outcome;
  const { kind } = fault;
  services.log.info('login.refused', { request: request.id, sub, address, reason: reasonOf(fault) });
  noteLoginFailed(services, request, { ...fault, sub }, {});
  const retry = 'retryAfter' in fault ? { retryAfter: fault.retryAfter } : {};
  const facts = fault.kind === 'wrong' ? factsOf(fault) : {};
  return { kind, ...retry, refusal: { failure: failure(FAILURES[kind]), sub, ...retry, ...facts } };
}

export function confirmFaultText(locale: Locale, { kind, retryAfter = 0 }: ConfirmFault): string {
  if (kind === 'wrong' || kind === 'missing') return confirmPasswordText[locale][kind];
  return kind === 'busy' ? sharedText[locale].busy : sharedText[locale].tooManyAttempts(retryAfter);
}

export const CONFIRM_STATUS = { wrong: 400, missing: 400, throttled: 429, busy: 503 } as const;

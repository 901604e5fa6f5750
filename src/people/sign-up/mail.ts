import type { Answer } from '../../platform/http/message.ts';
import { MAX_WAITING_SIGN_IN_LENGTH } from '../email/confirmation.ts';
import { requestConfirmation } from '../email/request-confirmation.ts';
import { awaitMail, type ConfirmingSignUp, redirectToStep } from '../sign-in/progress.ts';
import type { Visit } from '../sign-in/visit.ts';

/** Asks for the mail of a sign-up, the first or a further one, and goes to the page of its code. */
export async function sendSignUpMail(visit: Visit, typed: ConfirmingSignUp): Promise<Answer> {
  const { services, request, locale, signIn, target } = visit;
  const { email, username } = typed;
  const waiting = awaitMail(services, signIn, typed);
  const pending = waiting.sealed.length > MAX_WAITING_SIGN_IN_LENGTH ? undefined : waiting.sealed;
  const confirmation = { purpose: 'sign-up', email, username, app: target?.app ?? '', pending } as const;
  const busy = await requestConfirmation(services, request, { id: waiting.progress.id, locale, confirmation });
  return busy ?? redirectToStep(services.config.baseUrl, '/login/verify-email', waiting.sealed);
}

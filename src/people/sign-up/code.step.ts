import type { Account } from '../../directory/users/store.ts';
import { failure } from '../../failures.ts';
import type { Answer } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { askAgain, exhausted, renderCode, renderName } from '../email/code.step.ts';
import { checkEmailCode, findByTokenHash, type Presented } from '../email/codes.ts';
import { refuseMailFlood } from '../email/request-confirmation.ts';
import { digestOf, nothingToAsk } from '../second-factor/second-factor.ts';
import { advanceSignIn, type ConfirmingSignUp } from '../sign-in/progress.ts';
import { goOnAs } from '../sign-in/session.ts';
import { namesOf, type StepPage, type Visit } from '../sign-in/visit.ts';
import { sendSignUpMail } from './mail.ts';
import { createAccount } from './new-account.ts';
import { typedUsername } from './typed-names.rules.ts';

/** /login/verify-email of a sign-up: the code creates the account, and the sign-in goes on with it. */
export const signUpCode: Omit<StepPage, 'actions'> = {
  show: async visit => {
    const confirming = signUpOf(visit);
    if (!confirming) return nothingToAsk(visit);
    return confirming.confirmed === undefined ? renderCode(visit, shownOf(confirming)) : renderName(visit, '', false);
  },
  submit: async (visit, form) => {
    const confirming = signUpOf(visit);
    if (!confirming) return nothingToAsk(visit);
    if (confirming.confirmed !== undefined) return submitName(visit, form, confirming.confirmed);
    if (form.get('action') === 'send') return resend(visit, confirming);
    return submitCode(visit, form, confirming);
  },
};

function signUpOf({ signIn }: Visit): ConfirmingSignUp | undefined {
  const { confirming } = signIn.progress;
  return confirming?.purpose === 'sign-up' ? confirming : undefined;
}

const shownOf = ({ email }: ConfirmingSignUp) => ({ email, canRetype: true });

async function submitCode(visit: Visit, form: Params, confirming: ConfirmingSignUp): Promise<Answer> {
  const { services, signIn } = visit;
  const code = form.get('code');
  if (code === undefined) return askAgain(visit, shownOf(confirming), 'missing');
  const presented = await checkEmailCode(services, signIn.progress.id, code);
  if (presented === 'exhausted') return exhausted(visit);
  if (presented === 'wrong') return askAgain(visit, shownOf(confirming), 'wrong');
  return finishSignUp(visit, presented);
}

/** The code was right before, and the name was taken. Names are limited like passwords: each attempt tells whether one is taken. */
async function submitName(visit: Visit, form: Params, confirmed: string): Promise<Answer> {
  const { services, signIn } = visit;
  const typed = form.get('username') ?? '';
  const username = typedUsername(typed);
  if (username === undefined) return askName(visit, typed, false);
  const { wait } = await services.throttle.admit({ kind: 'account', account: `sign-up ${signIn.progress.id}` });
  if (wait > 0) return { failure: failure('tooManyAttempts'), retryAfter: wait, ...namesOf(visit) };
  const presented = await findByTokenHash(services, Buffer.from(confirmed, 'base64url'));
  if (!presented) return { failure: failure('mailLinkInvalid'), ...namesOf(visit) };
  return finishSignUp(visit, presented, username);
}

/** In the browser in which the password was typed: by the code, or by the link. */
export async function finishSignUp(visit: Visit, presented: Presented, username?: string): Promise<Answer> {
  const { services, request } = visit;
  const { confirmation, waiting } = presented;
  const typed = signUpOf(visit);
  if (confirmation.purpose !== 'sign-up' || !typed) return nothingToAsk(visit);
  const chosen = { username: username ?? typed.username, passwordHash: typed.passwordHash };
  const created = await createAccount(services, request, presented, confirmation, chosen);
  if (created.kind === 'refused') return { ...created.refusal, ...namesOf(visit) };
  if (created.kind === 'created') return signInAs(visit, created.account);
  const confirmed = Buffer.from(waiting.tokenHash).toString('base64url');
  const signIn = advanceSignIn(services, visit.signIn, { confirming: { ...typed, confirmed } });
  return askName({ ...visit, signIn }, chosen.username ?? '', true);
}

function askName(visit: Visit, username: string, isTaken: boolean): Answer {
  const refusal = { failure: failure('parameterInvalid', 'username'), ...namesOf(visit) };
  return { ...renderName(visit, username, isTaken), refusal };
}

/** The password was typed for this account, in this browser. */
function signInAs(visit: Visit, { sub, passwordHash }: Account): Promise<Answer> {
  const proved = { hasTotp: false, hasVerifiedEmail: true, passwordDigest: digestOf(passwordHash) };
  return goOnAs(visit, { sub, method: 'pwd', at: visit.services.clock.now(), ...proved }, passwordHash);
}

async function resend(visit: Visit, confirming: ConfirmingSignUp): Promise<Answer> {
  const flood = await refuseMailFlood(visit.services, visit.request);
  if (flood) return { ...flood, ...namesOf(visit) };
  return sendSignUpMail(visit, confirming);
}

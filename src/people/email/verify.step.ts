import { failure } from '../../failures.ts';
import type { Answer } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { digestOf, nothingToAsk } from '../second-factor/second-factor.ts';
import type { LiveSession } from '../sessions/store.ts';
import { isFirstFactor } from '../sign-in/acr.rules.ts';
import { currentUser, firstFactor, passwordFactor } from '../sign-in/current-user.rules.ts';
import { awaitMail, redirectToStep } from '../sign-in/progress.ts';
import { cancel, goOn, goOnWith } from '../sign-in/session.ts';
import { expired, namesOf, nextStepOf, type StepPage, sessionOf, type Visit } from '../sign-in/visit.ts';
import { signUpCode } from '../sign-up/code.step.ts';
import { typedEmail } from '../sign-up/typed-names.rules.ts';
import { askAgain, exhausted, renderAddress, renderCode, renderVerified, throttled } from './code.step.ts';
import { checkEmailCodeOf } from './codes.ts';
import { type Confirmation, MAX_WAITING_SIGN_IN_LENGTH } from './confirmation.ts';
import { confirmOwnAddress } from './confirmed-address.ts';
import { refuseMailFlood, refuseMailsOfUser, requestConfirmation } from './request-confirmation.ts';
import type { EmailState } from './store.ts';

/**
 * /login/verify-email: the code of a mail, where the application demands a verified address and the user's is not, or has none. The code
 * of a sign-up is typed here too (people/sign-up/code.step.ts).
 */
export const verifyEmail: StepPage = {
  actions: ['cancel', 'send', 'continue'],
  show: async (visit, session) => {
    if (visit.signIn.progress.confirming?.purpose === 'sign-up') return signUpCode.show(visit, session);
    const user = await dueUser(visit, session);
    return 'sub' in user ? showTo(visit, user) : user.answer;
  },
  submit: async (visit, form) => {
    if (form.get('action') === 'cancel') return cancel(visit);
    if (visit.signIn.progress.confirming?.purpose === 'sign-up') return signUpCode.submit(visit, form);
    const user = await dueUser(visit, await sessionOf(visit));
    return 'sub' in user ? submitBy(visit, form, user) : user.answer;
  },
};

/** A user who has proved everything else. */
interface DueUser {
  readonly sub: string;
  readonly session: LiveSession | undefined;
  readonly state: EmailState;
}

/** Asked of nobody else: a step cannot be skipped or repeated. */
async function dueUser(visit: Visit, session: LiveSession | undefined): Promise<DueUser | { readonly answer: Answer }> {
  const { services, signIn } = visit;
  const { progress } = signIn;
  const next = await nextStepOf(visit, session);
  const user = currentUser({ session, progress });
  if (!user || next.kind !== 'ask' || next.step !== 'verify-email') return { answer: nothingToAsk(visit) };
  if (!services.config.mail) return { answer: { failure: failure('emailNotVerifiable'), ...namesOf(visit) } };
  const state = await services.store.emailStateOf(user.sub, progress.id, services.clock.now());
  const typed = passwordFactor(progress.proofs);
  const isOutdated = typed !== undefined && digestOf(state?.passwordHash) !== typed.passwordDigest;
  if (!state || isOutdated) return { answer: expired({ kind: 'changed' }, visit) };
  return { sub: user.sub, session, state };
}

async function showTo(visit: Visit, user: DueUser): Promise<Answer> {
  const { confirming } = visit.signIn.progress;
  // The link of the mail was opened meanwhile, perhaps in another browser.
  if (user.state.emailVerified) return renderVerified(visit);
  if (confirming) return renderCode(visit, { email: confirming.email, canRetype: user.state.email === undefined });
  return user.state.email === undefined ? renderAddress(visit) : send(visit, user, user.state.email);
}

async function submitBy(visit: Visit, form: Params, user: DueUser): Promise<Answer> {
  const { sub, state } = user;
  if (state.emailVerified) return goOnVerified(visit, user);
  const { confirming } = visit.signIn.progress;
  if (form.get('action') === 'send' && confirming) return send(visit, user, confirming.email);
  const code = form.get('code');
  if (code === undefined && state.email === undefined) {
    const typed = form.get('email');
    const email = typed === undefined ? undefined : typedEmail(typed);
    if (email !== undefined) return send(visit, user, email);
    const refused = { failure: failure('parameterInvalid', 'email'), ...namesOf(visit), sub };
    return { ...renderAddress(visit, typed ?? ''), refusal: refused };
  }
  const shown = { email: confirming?.email ?? state.email ?? '', canRetype: state.email === undefined };
  if (code === undefined) return askAgain(visit, shown, 'missing', sub);
  const { services, request } = visit;
  const presented = await checkEmailCodeOf(services, request, sub, { id: visit.signIn.progress.id, typed: code });
  if (presented === 'exhausted') return exhausted(visit, sub);
  if (typeof presented === 'object' && 'wait' in presented) return throttled(visit, sub, presented.wait);
  if (presented === 'wrong' || presented.confirmation.purpose !== 'verify' || presented.confirmation.sub !== sub) {
    return askAgain(visit, shown, 'wrong', sub);
  }
  const { waiting, confirmation } = presented;
  const person = { locale: visit.locale, username: state.username };
  const isDone = await confirmOwnAddress(services, request, waiting, confirmation, person);
  return isDone
    ? goOnVerified(visit, { ...user, state: { ...state, email: confirmation.email } })
    : askAgain(visit, shown, 'wrong', sub);
}

/** The page is opened again with the address in the progress, so that reloading it sends no further mail. */
async function send(visit: Visit, { sub, session, state }: DueUser, email: string): Promise<Answer> {
  const { services, request, locale, target } = visit;
  const waiting = awaitMail(services, visit.signIn, { purpose: 'verify', email });
  // The page of the own address was left and is opened again.
  const isReload = visit.signIn.progress.confirming === undefined && state.email !== undefined && state.isSent;
  if (!isReload) {
    const flood = (await refuseMailFlood(services, request)) ?? (await refuseMailsOfUser(services, sub));
    if (flood) return { ...flood, ...namesOf(visit), sub };
    const pending = waiting.sealed.length > MAX_WAITING_SIGN_IN_LENGTH ? undefined : waiting.sealed;
    const confirmation: Confirmation = {
      ...{ purpose: 'verify', email, sub, from: state.email, app: target?.app, pending },
    };
    const asked = { id: waiting.progress.id, locale, confirmation };
    const busy = await requestConfirmation(services, request, asked, session);
    if (busy) return busy;
  }
  return redirectToStep(services.config.baseUrl, '/login/verify-email', waiting.sealed);
}

/** The address is verified. A live session says so itself; the proofs of a sign-in that is in progress are told. */
async function goOnVerified(visit: Visit, { sub, session, state }: DueUser): Promise<Answer> {
  const { proofs } = visit.signIn.progress;
  if (proofs.length === 0) return goOn(visit, {});
  const told = proofs.map(proof => (isFirstFactor(proof.method) ? { ...proof, hasVerifiedEmail: true } : proof));
  if (firstFactor(told)) return goOnWith(visit, sub, told, state.passwordHash);
  const present = session && { ...session, user: { ...session.user, email: state.email, emailVerified: true } };
  return goOnWith(visit, sub, told, undefined, present);
}

import { requestEvent, userActor } from '../../audit/events/request-event.ts';
import { failure } from '../../failures.ts';
import { passwordChangedMail } from '../../notify/mail/messages.ts';
import { newMail } from '../../notify/mail/queue.ts';
import type { Answer, Reply } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import type { EmailState } from '../email/store.ts';
import { digestOf, nothingToAsk } from '../second-factor/second-factor.ts';
import { passwordFactor, type ShownFactor } from '../sign-in/current-user.rules.ts';
import { cancel, goOnWith } from '../sign-in/session.ts';
import { brandFor, expired, namesOf, nextStepOf, type StepPage, type Visit } from '../sign-in/visit.ts';
import { newPasswordPage } from './new-password.html.ts';
import type { PasswordFault } from './password.rules.ts';

/** /login/new-password: an operator demands another password (`require_password_change`). The session is opened with the new one. */
export const newPassword: StepPage = {
  actions: ['cancel'],
  show: async visit => {
    const due = await dueUser(visit);
    return 'answer' in due ? due.answer : render(visit, due.state);
  },
  submit: async (visit, form) => {
    if (form.get('action') === 'cancel') return cancel(visit);
    const due = await dueUser(visit);
    return 'answer' in due ? due.answer : change(visit, form, due);
  },
};

interface DueUser {
  /** Of the password that is to be replaced. */
  readonly typed: ShownFactor;
  readonly state: EmailState;
  readonly passwordHash: string;
}

/** Asked only after all proofs, of a user who signs in here: a live session alone does not allow to set a password. */
async function dueUser(visit: Visit): Promise<DueUser | { readonly answer: Answer }> {
  const { services, signIn } = visit;
  const { progress } = signIn;
  const next = await nextStepOf(visit, undefined);
  const typed = passwordFactor(progress.proofs);
  if (!typed || next.kind !== 'ask' || next.step !== 'new-password') return { answer: nothingToAsk(visit) };
  const state = await services.store.emailStateOf(typed.sub, progress.id, services.clock.now());
  const isOutdated = digestOf(state?.passwordHash) !== typed.passwordDigest;
  if (state?.passwordHash === undefined || isOutdated) return { answer: expired({ kind: 'changed' }, visit) };
  return { typed, state, passwordHash: state.passwordHash };
}

async function change(visit: Visit, form: Params, { typed, state, passwordHash: from }: DueUser): Promise<Answer> {
  const { services, request, signIn } = visit;
  const { sub } = typed;
  const password = form.get('password') ?? '';
  const fault = await faultOf(visit, password, state);
  if (fault) return refuse(visit, state, sub, fault);
  // Each form costs two hashes, and one sign-in could send many at once.
  const attempt = { kind: 'account', account: `new password ${sub}` } as const;
  const { wait } = await services.throttle.admit(attempt);
  if (wait > 0) return { failure: failure('tooManyAttempts'), retryAfter: wait, ...namesOf(visit), sub };
  const verdict = await services.passwords.verify(password, from);
  if (verdict === 'busy')
    return { failure: failure('hashQueueFull'), retryAfter: BUSY_SECONDS, ...namesOf(visit), sub };
  if (verdict === 'right') return refuse(visit, state, sub, 'same');
  const to = await services.passwords.hashInTurn(password);
  const now = services.clock.now();
  const act = { event: changedEvent(visit, sub), mail: changedMail(visit, state) };
  if (!(await services.store.replacePassword(sub, { from, to }, now, act))) {
    return expired({ kind: 'changed' }, visit);
  }
  services.throttle.succeeded(attempt);
  services.log.info('password.changed', { request: request.id, ...namesOf(visit), sub, address: request.address });
  const renewed = { ...typed, needsNewPassword: false, passwordDigest: digestOf(to) };
  const proofs = signIn.progress.proofs.map(proof => (proof === typed ? renewed : proof));
  return goOnWith(visit, sub, proofs, to);
}

const BUSY_SECONDS = 2;

function faultOf({ services, target }: Visit, password: string, { username, email }: EmailState) {
  const { name: application, password_min_length: minLength } = target?.application ?? {};
  return services.newPasswords.check(password, { username, email, application, minLength });
}

function changedEvent({ services, request, target }: Visit, sub: string) {
  return requestEvent(services, request, {
    type: 'user.password.changed',
    outcome: 'success',
    actor: userActor(sub),
    subject: sub,
    app: target?.app,
    clientId: target?.client.client_id,
    details: { reason: 'demanded' },
  });
}

/** An address that is not verified may belong to somebody else. */
function changedMail({ services, locale }: Visit, { username, email, emailVerified }: EmailState) {
  if (!emailVerified || email === undefined) return undefined;
  const content = passwordChangedMail({ locale, username, baseUrl: services.config.baseUrl });
  return newMail(services, { ...content, name: 'password changed', to: email });
}

function refuse(visit: Visit, state: EmailState, sub: string, fault: PasswordFault | 'same'): Answer {
  const refusal = { failure: failure('parameterInvalid', 'password'), ...namesOf(visit), sub };
  return { ...render(visit, state, fault), refusal };
}

function render(visit: Visit, { username }: EmailState, fault?: PasswordFault | 'same'): Reply {
  return newPasswordPage({
    locale: visit.locale,
    brand: brandFor(visit),
    pending: visit.signIn.sealed,
    redirectUri: visit.target?.request.redirectUri,
    minLength: visit.target?.application.password_min_length,
    username,
    fault,
  });
}

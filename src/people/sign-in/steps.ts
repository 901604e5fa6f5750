import { redirect } from '../../platform/http/message.ts';
import { refuseForeignForm } from '../../platform/ui/own-form.ts';
import type { Page } from '../../services.ts';
import { consent } from '../consent/step.ts';
import { verifyEmail } from '../email/verify.step.ts';
import { keepAccount } from '../my-data/keep-account.step.ts';
import { noAccess } from '../no-access/step.ts';
import { passkey } from '../passkey/step.ts';
import { newPassword } from '../password/new-password.step.ts';
import { recovery } from '../recovery-codes/step.ts';
import { enrolTotp } from '../totp/enrol.step.ts';
import { totp } from '../totp/step.ts';
import { password } from './login.step.ts';
import { type Step, type StepPath, stepsAt } from './next-step.ts';
import { selectAccount } from './select-account.step.ts';
import { nextStepOf, openVisit, type StepPage, sessionOf } from './visit.ts';

/**
 * The pages between a request and its answer:
 *
 *   /login               password, select-account
 *   /login/passkey       a passkey after the password, or in a live session
 *   /login/totp          the code of an authenticator app
 *   /login/recovery      a recovery code instead of them
 *   /login/keep-account  whether an account is kept that its user has asked to delete
 *   /login/enrol         the key of a new authenticator app, where a second factor is required and the user has none
 *   /login/verify-email  the code of a mail, also that of a sign-up (/signup, people/sign-up/page.ts)
 *   /login/new-password  another password, where an operator demands it
 *   /login/no-access     that the application does not admit this user
 *   /consent             consent
 *
 * GET shows the page of a step. POST records its outcome in the sealed progress (progress.ts) and sends the browser back to the
 * authorization endpoint or to /account, which asks next-step.ts and sends it to the next page, or answers.
 */
const STEPS: Readonly<Record<Step, StepPage>> = {
  password,
  'select-account': selectAccount,
  passkey,
  totp,
  recovery,
  'keep-account': keepAccount,
  'enrol-totp': enrolTotp,
  'verify-email': verifyEmail,
  'new-password': newPassword,
  'no-access': noAccess,
  consent,
};

/** A request that cannot be read is not one that nobody sent. */
const NAMES_PENDING = /(?:^|&)pending=/;

/** If no step of this page is due (back button), the first step at the address is shown again. */
export function showStep(path: StepPath): Page {
  return async (services, request) => {
    const sealed = request.queryParams.get('pending');
    // A bookmark, or an address typed by hand: nothing waits for this sign-in (row 64).
    if (path === '/login' && !NAMES_PENDING.test(request.query)) return redirect(`${services.config.baseUrl}/`, 302);
    const visit = await openVisit(services, request, sealed);
    if ('failure' in visit) return visit;
    const session = await sessionOf(visit);
    const next = await nextStepOf(visit, session);
    const step = next.kind === 'ask' && next.path === path ? next.step : firstStepAt(path);
    return STEPS[step].show(visit, session);
  };
}

export function submitStep(path: StepPath): Page {
  return async (services, request) => {
    const foreign = refuseForeignForm(services.config.baseUrl, request);
    if (foreign) return foreign;
    const form = request.form;
    const visit = await openVisit(services, request, form.get('pending'));
    if ('failure' in visit) return visit;
    const action = form.get('action') ?? '';
    const step = stepsAt(path).find(each => STEPS[each].actions.includes(action)) ?? firstStepAt(path);
    return STEPS[step].submit(visit, form);
  };
}

function firstStepAt(path: StepPath): Step {
  return stepsAt(path)[0] ?? 'password';
}

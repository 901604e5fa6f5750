import { failure } from '../../failures.ts';
import { redirect } from '../../platform/http/message.ts';
import { refuseForeignForm } from '../../platform/ui/own-form.ts';
import type { Handler, Services } from '../../services.ts';
import { nextStepOf, openVisit, sessionOf } from './visit.ts';

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
 * authorization endpoint or to /account, which asks next-step.rules.ts and sends it to the next page, or answers. The page of each step is
 * in the folder of its capability (`steps`).
 */
/** A request that cannot be read is not one that nobody sent. */
const NAMES_PENDING = /(?:^|&)pending=/;

/** If no step of this page is due (back button), the first step at the address is shown again. */
export function showStep(path: string): Handler {
  return async (services, request) => {
    const sealed = request.queryParams.get('pending');
    // A bookmark, or an address typed by hand: nothing waits for this sign-in (row 64).
    if (path === '/login' && !NAMES_PENDING.test(request.query)) return redirect(`${services.config.baseUrl}/`, 302);
    const visit = await openVisit(services, request, sealed);
    if ('failure' in visit) return visit;
    const session = await sessionOf(visit);
    const next = await nextStepOf(visit, session);
    const steps = stepsAt(services, path);
    const step = steps.find(({ name }) => next.kind === 'ask' && next.step === name) ?? steps[0];
    return step ? (await step.load()).show(visit, session) : { failure: failure('notFound') };
  };
}

export function submitStep(path: string): Handler {
  return async (services, request) => {
    const foreign = refuseForeignForm(services.config.baseUrl, request);
    if (foreign) return foreign;
    const form = request.form;
    const visit = await openVisit(services, request, form.get('pending'));
    if ('failure' in visit) return visit;
    const action = form.get('action') ?? '';
    const pages = await Promise.all(stepsAt(services, path).map(step => step.load()));
    const page = pages.find(({ actions }) => actions.includes(action)) ?? pages[0];
    return page ? page.submit(visit, form) : { failure: failure('notFound') };
  };
}

function stepsAt({ tables }: Services, path: string) {
  return tables.steps.filter(step => step.path === path);
}

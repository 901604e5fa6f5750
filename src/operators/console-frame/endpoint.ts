import { failure } from '../../failures.ts';
import { beginSignIn, type OwnPage, redirectToStep, stepForPage } from '../../people/sign-in/progress.ts';
import { type Answer, faultText, type Refusal, type Request } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import { refuseForeignForm } from '../../platform/ui/own-form.ts';
import { ANOTHER_ACCOUNT } from '../../platform/ui/problem-page.ts';
import type { Services } from '../../services.ts';
import { hasRole, requestOrigin } from '../api/caller.ts';
import { refusalOf } from '../api/endpoint.ts';
import type { OperationContext } from '../api/operation.ts';
import { type Input, perform, refusedRights } from '../api/perform.ts';
import { consoleLocale } from './language.ts';
import { consolePage } from './layout.ts';
import type { ConsoleContext, ConsolePage, Performed, View } from './page.ts';
import { refused } from './refused.ts';
import {
  type ConsoleSession,
  type Enrolling,
  findConsoleSession,
  isFresh,
  RECENT_SECONDS,
  type Stranger,
} from './session.ts';
import { performOnce } from './shown-once.ts';

/**
 * /console: from a request to a page and back. A page and its address are declared by its capability; session.ts says who may see them. A
 * visitor who is not signed in goes through the sign-in pages and comes back, with the form that was sent (`continueForm`).
 */
export async function showConsole(services: Services, request: Request, page: ConsolePage): Promise<Answer> {
  const session = await findConsoleSession(services, request);
  if (session === 'signIn' || session.kind === 'enrolling') {
    const query = request.query === '' ? '' : `?${request.query}`;
    return signIn(services, request, session, { path: `${request.path}${query}`, maxAge: RECENT_SECONDS });
  }
  if (session.kind === 'stranger') return withoutRole(session);
  const context = contextOf(services, request, session);
  return finish(context, page, await page.show(context), session);
}

export async function submitConsole(services: Services, request: Request, page: ConsolePage): Promise<Answer> {
  const foreign = refuseForeignForm(services.config.baseUrl, request);
  if (foreign) return foreign;
  const session = await findConsoleSession(services, request);
  const form = request.form;
  const waiting = () => ({ path: '/console/continue', maxAge: 0, form: waitingForm(request, page) });
  if (session === 'signIn' || session.kind === 'enrolling') return signIn(services, request, session, waiting());
  if (session.kind === 'stranger') {
    return form.get('action') === ANOTHER_ACCOUNT ? signInAsAnother(services, request) : withoutRole(session);
  }
  if (isDangerous(page, form) && !isFresh(services, session)) return signIn(services, request, 'signIn', waiting());
  if (!page.submit) return { failure: failure('methodNotAllowed', 'POST'), headers: { allow: 'GET, HEAD' } };
  const context = contextOf(services, request, session);
  return finish(context, page, await page.submit(context, form), session);
}

/** Bytes of a form that waits for a sign-in: it waits in the address of the page, and sealing adds a third. */
const MAX_WAITING_FORM = 16 * 1024;

function waitingForm({ path, body }: Request, { omittable = [] }: ConsolePage): NonNullable<OwnPage['form']> {
  if (body.length <= MAX_WAITING_FORM) return { action: path, body };
  const fields = new URLSearchParams(body);
  const leftOut = omittable.filter(name => fields.get(name));
  for (const name of leftOut) fields.delete(name);
  return { action: path, body: fields.toString(), leftOut };
}

function isDangerous({ dangerous }: ConsolePage, form: Params): boolean {
  if (dangerous === undefined || dangerous === 'all') return dangerous === 'all';
  return !dangerous.except.includes(form.get('action') ?? '');
}

/** An operator who is signed in, and has to set up a second factor, goes to that step at once. */
function signIn(services: Services, request: Request, session: 'signIn' | Enrolling, place: OwnPage): Answer {
  const present = session === 'signIn' ? undefined : session.browser;
  const page = { ...place, requiresMfa: present !== undefined };
  return stepForPage(services, request, present, page);
}

/** It names the account: whoever has two is often signed in with the wrong one. */
function withoutRole({ user }: Stranger): Refusal {
  return { failure: failure('operatorNeeded'), sub: user.sub, signedInAs: user.username };
}

function signInAsAnother(services: Services, request: Request): Answer {
  const page = { path: '/console', maxAge: RECENT_SECONDS };
  const { sealed, cookies } = beginSignIn(services, request, undefined, page, { selected: 'another' });
  return redirectToStep(services.config.baseUrl, '/login', sealed, cookies);
}

async function finish(context: ConsoleContext, page: ConsolePage, shown: View | Answer, { cookies }: ConsoleSession) {
  return 'title' in shown
    ? consolePage(context, page, shown, [...cookies, ...(shown.cookies ?? [])])
    : refused(context, page, shown, cookies);
}

function contextOf(services: Services, request: Request, { operator }: ConsoleSession): ConsoleContext {
  const { sub: id, role, applications } = operator;
  const caller = { actor: { kind: 'operator', id }, role, applications } as const;
  const whole = (input: Partial<Input>): Input => ({ params: request.params, query: {}, body: undefined, ...input });
  const origin = requestOrigin(request);
  const locale = consoleLocale(services, request);
  return {
    services,
    request,
    operator,
    locale,
    params: request.params,
    query: request.queryParams,
    may: needed => hasRole(caller, needed),
    can: operation => refusedRights(operation, caller, request.params) === undefined,
    perform: async (operation, input = {}, ifMatch) => {
      const context: OperationContext = { services, caller, origin, ifMatch };
      return performed(await perform(operation, context, whole(input)), locale);
    },
    performOnce: async (operation, input = {}) => {
      const context: OperationContext = { services, caller, origin, ifMatch: undefined };
      return performed(await performOnce(context, request, operation, whole(input)), locale);
    },
  };
}

function performed<Result>(outcome: Awaited<ReturnType<typeof perform>>, locale: OperatorLocale): Performed<Result> {
  switch (outcome.kind) {
    case 'done':
      return { kind: 'done', value: outcome.value as Result };
    case 'invalid':
      return {
        kind: 'faults',
        faults: new Map(outcome.errors.map(fault => [fieldOf(fault.pointer), faultText(fault, locale)])),
      };
    case 'conflict':
      return { kind: 'faults', faults: new Map([['', outcome.detail]]) };
    case 'changed':
      return { kind: 'faults', faults: new Map([['changed', '']]) };
    default:
      return { kind: 'refused', refusal: refusalOf(outcome) };
  }
}

/** /redirect_uris/0 is a fault of the field redirect_uris, /address/country one of address.country. */
function fieldOf(pointer: string): string {
  return pointer
    .split('/')
    .filter(part => !/^\d*$/.test(part))
    .join('.');
}

import { userActor } from '../../audit/events/request-event.ts';
import { failure } from '../../failures.ts';
import { currentSession } from '../../people/sessions/sessions.ts';
import { beginSignIn, redirectToStep } from '../../people/sign-in/progress.ts';
import {
  type Answer,
  type BodyFault,
  faultText,
  header,
  type Refusal,
  type Request,
  redirect,
} from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { chooseOperatorLocale, type OperatorLocale } from '../../platform/ui/locale.rules.ts';
import { refuseForeignForm } from '../../platform/ui/own-form.ts';
import type { Handler, Services } from '../../services.ts';
import { COMMAND_LINE, requestOrigin } from '../api/caller.ts';
import type { OperationContext } from '../api/operation.ts';
import { openFirstSession } from './first-session.ts';
import { hasOwner } from './has-owner.ts';
import { type FirstOwnerFaults, firstOwnerPage, type Typed } from './html.ts';
import { hasOwnerToken } from './owner-link.ts';
import { firstOwnerText } from './text.ts';

/** /first-owner: who holds the link (owner-link.ts) makes a user the first owner, one that exists or a new one. */
export const showFirstOwner: Handler = async (services, request) =>
  (await refuseLink(services, request)) ?? show(services, request);

export const submitFirstOwner: Handler = async (services, request) => {
  const refused = refuseForeignForm(services.config.baseUrl, request) ?? (await refuseLink(services, request));
  if (refused) return refused;
  const form = request.form;
  switch (form.get('action')) {
    case 'sign-in':
      return signIn(services, request);
    case 'create':
      return create(services, request, form);
    case 'become':
      return become(services, request);
    default:
      return show(services, request);
  }
};

async function refuseLink(services: Services, request: Request): Promise<Refusal | undefined> {
  const isGood = (await hasOwnerToken(services, request)) && !(await hasOwner(services.store));
  return isGood ? undefined : { failure: failure('ownerLinkInvalid') };
}

const NOTHING: Typed = { username: '', email: '' };

async function show(
  services: Services,
  request: Request,
  typed: Typed = NOTHING,
  faults?: FirstOwnerFaults,
): Promise<Answer> {
  const session = await currentSession(services, request);
  return firstOwnerPage({
    locale: localeOf(request),
    action: addressOf(request),
    signedInAs: session?.user.username,
    typed,
    faults,
  });
}

function localeOf(request: Request): OperatorLocale {
  return chooseOperatorLocale(header(request, 'accept-language'));
}

function signIn(services: Services, request: Request): Answer {
  const { sealed, cookies } = beginSignIn(services, request, undefined, { path: addressOf(request), maxAge: 300 });
  return redirectToStep(services.config.baseUrl, '/login', sealed, cookies);
}

async function become(services: Services, request: Request): Promise<Answer> {
  const session = await currentSession(services, request);
  return session ? makeOwner(services, request, session.user.sub) : signIn(services, request);
}

async function create(services: Services, request: Request, form: Params): Promise<Answer> {
  const typed = { username: form.get('username')?.trim() ?? '', email: form.get('email')?.trim() ?? '' };
  const password = form.get('password') ?? '';
  const missing = missingIn({ ...typed, password }, localeOf(request));
  if (missing.size > 0) return show(services, request, typed, missing);
  // The operations are loaded when they are needed: most nodes never show this page.
  const [{ perform }, { createUser }] = await Promise.all([
    import('../api/perform.ts'),
    import('../../directory/users/operations.ts'),
  ]);
  const body = { username: typed.username, password, ...(typed.email === '' ? {} : { email: typed.email }) };
  const context = { services, caller: COMMAND_LINE, origin: requestOrigin(request), ifMatch: undefined };
  const made = await perform(createUser, context, { params: {}, query: {}, body });
  if (made.kind !== 'done') return show(services, request, typed, faultsOf(made, localeOf(request)));
  const answer = await makeOwner(services, request, made.value.sub);
  if ('failure' in answer) return answer;
  const cookies = await openFirstSession(services, request, typed.username);
  return { ...answer, headers: { ...answer.headers, 'set-cookie': cookies } };
}

/** The address can be left out. */
function missingIn({ username, password }: Typed & { readonly password: string }, locale: OperatorLocale) {
  const { missing } = firstOwnerText[locale].faults;
  const empty = Object.entries({ username, password }).filter(([, value]) => value === '');
  return new Map(empty.map(([name]) => [name, missing[name as keyof typeof missing]]));
}

/** Whole sentences: an operation says what is wrong as the rest of one. */
function faultsOf(problem: { readonly kind: string }, locale: OperatorLocale): FirstOwnerFaults {
  const text = firstOwnerText[locale].faults;
  const { errors = [] } = problem as Partial<{ errors: readonly BodyFault[] }>;
  if (errors.length === 0) return new Map([['username', text.taken]]);
  return new Map(
    errors.map((fault): [string, string] => {
      const name = fault.pointer.slice(1);
      const detail = faultText(fault, locale);
      if (name === 'email') return [name, text.email];
      return name === 'password' ? [name, text.password(detail)] : ['username', text.username(detail)];
    }),
  );
}

async function makeOwner(services: Services, request: Request, sub: string): Promise<Answer> {
  const { addFirstOwner } = await import('../roles/operations.ts');
  const caller = { ...COMMAND_LINE, actor: userActor(sub) };
  const context: OperationContext = { services, caller, origin: requestOrigin(request), ifMatch: undefined };
  const owner = await addFirstOwner(context, sub);
  return owner ? redirect(`${services.config.baseUrl}/console`, 303) : { failure: failure('ownerLinkInvalid') };
}

function addressOf({ path, query }: Request): string {
  return `${path}?${query}`;
}

import {
  type ProviderRow,
  providerFrame,
  providerPath,
  withProvider,
} from '../../directory/providers/frame.console.ts';
import type { Provider } from '../../directory/providers/rules.ts';
import { providerName } from '../../directory/providers/rules.ts';
import { failure } from '../../failures.ts';
import {
  type ConsoleContext,
  type ConsolePage,
  type Faults,
  NO_FAULTS,
  type View,
} from '../../operators/console-frame/page.ts';
import { field } from '../../operators/console-frame/parts.ts';
import { type Answer, redirect, withCookies } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { formPostPage } from '../../platform/ui/form-post.html.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { linkUser } from '../linking/operations.ts';
import { currentSession } from '../sessions/sessions.ts';
import { formTargetsOf } from './offered.ts';
import { failedView, identifiedView } from './trial.console.ts';
import { type BegunTrial, beginTrial, finishTrial, type Trier, tryPassword } from './trial.ts';
import { tryText } from './try.console.text.ts';

/** /console/providers/{id}/try: sends the operator to the provider. */
export const providerTry: ConsolePage = {
  place: 'providers',
  show: context => withProvider(context, provider => view(context, provider, undefined)),
  submit: (context, form) => withProvider(context, provider => start(context, provider, form)),
};

/** …/try/answer: where the redirect URI of the provider hands the answer over to. It is shown once. */
export const providerTryAnswer: ConsolePage = {
  place: 'providers',
  show: context => withProvider(context, provider => receive(context, provider)),
};

interface Ready {
  readonly registered: Provider;
  readonly trier: Trier;
}

/** Undefined: the provider is gone, or the browser is signed out meanwhile. */
async function readyFor({ services, request, operator }: ConsoleContext, id: string): Promise<Ready | undefined> {
  const registered = (await services.registry.providers()).find(each => each.id === id);
  const session = await currentSession(services, request);
  return registered && session && { registered, trier: { operator: operator.sub, session: session.sid } };
}

async function start(context: ConsoleContext, provider: ProviderRow, form: Params): Promise<View | Answer> {
  const { can, services, request } = context;
  if (!can(linkUser)) return { failure: failure('roleTooLow', 'operator') };
  const ready = await readyFor(context, provider.id);
  if (!ready) return { failure: failure('objectUnknown', 'provider') };
  if (isDirectory(context, provider)) return checkPassword(context, provider, ready, form);
  const begun = await beginTrial(services, request, ready.registered, ready.trier, form.get('again') === 'true');
  const text = tryText[context.locale];
  if (begun.kind === 'gone') return toProvider(context, text.leaving(providerName(provider)), begun);
  if (begun.kind === 'noCookie') return view(context, provider, text.noCookie);
  return failedView(context, provider, begun.fault);
}

/** It is asked with what is typed into the ordinary form. */
function isDirectory({ services }: ConsoleContext, { type }: ProviderRow): boolean {
  return services.tables.passwordCheckers.has(type);
}

async function checkPassword(context: ConsoleContext, provider: ProviderRow, ready: Ready, form: Params) {
  const { services, request, locale } = context;
  const text = tryText[locale];
  const [username, password] = [form.get('username'), form.get('password')];
  if (username === undefined || password === undefined) {
    const missing = [username === undefined && 'username', password === undefined && 'password'];
    const faults = missing.flatMap(name => (name === false ? [] : [[name, text.missing] as const]));
    return view(context, provider, undefined, new Map(faults));
  }
  const tried = await tryPassword(services, request, ready.registered, ready.trier, { username, password });
  if (tried.kind === 'throttled') return view(context, provider, text.throttled(tried.retryAfter));
  if (tried.kind === 'failed') return failedView(context, provider, tried.fault);
  return tried.kind === 'identified'
    ? identifiedView(context, ready.registered, provider, tried)
    : noTrial(context, provider);
}

function toProvider(
  { locale }: ConsoleContext,
  title: string,
  { begun, cookies }: Extract<BegunTrial, { kind: 'gone' }>,
) {
  if (begun.kind === 'redirect') return redirect(begun.url, 303, cookies);
  return withCookies(formPostPage(locale, title, begun.url, Object.entries(begun.fields)), cookies);
}

function view(
  context: ConsoleContext,
  provider: ProviderRow,
  fault: string | undefined,
  faults: Faults = NO_FAULTS,
): View {
  const { locale, can } = context;
  const text = tryText[locale];
  const name = providerName(provider);
  const isTyped = isDirectory(context, provider);
  const fields = isTyped
    ? html`${field({ name: 'username', label: text.username, required: true }, faults)}${field({ name: 'password', label: text.password, kind: 'password', required: true }, faults)}`
    : field({ name: 'again', label: text.again, hint: text.againHint(name), kind: 'check' }, faults);
  const form = html`<form method="post" action="${providerPath(provider.id, 'try')}">${fields}<button type="submit">${text.start(name)}</button></form>`;
  const alert = fault !== undefined && html`<div class="alert" role="alert" tabindex="-1">${fault}</div>`;
  const about = isTyped ? text.passwordAbout(name) : text.about(name);
  const body = html`<section><h2>${text.title}</h2>${alert}<p>${about}</p>${can(linkUser) ? form : html`<p>${text.noRole}</p>`}</section>`;
  return providerFrame(context, provider, 'try', {
    body,
    status: fault === undefined && faults.size === 0 ? 200 : 400,
    formTarget: isTyped ? undefined : formTargetsOf([provider as unknown as Provider]),
  });
}

async function receive(context: ConsoleContext, provider: ProviderRow): Promise<View | Answer> {
  const { can, services, request, query } = context;
  if (!can(linkUser)) return { failure: failure('roleTooLow', 'operator') };
  // It has an effect: the answer is taken.
  if (request.method === 'HEAD') return noTrial(context, provider);
  const ready = await readyFor(context, provider.id);
  if (!ready) return { failure: failure('objectUnknown', 'provider') };
  const finished = await finishTrial(services, request, ready.registered, ready.trier, query);
  const { cookies } = 'cookies' in finished ? finished : { cookies: undefined };
  if (finished.kind === 'failed') return { ...failedView(context, provider, finished.fault), cookies };
  if (finished.kind !== 'identified') return noTrial(context, provider);
  return { ...identifiedView(context, ready.registered, provider, finished), cookies };
}

function noTrial(context: ConsoleContext, provider: ProviderRow): View {
  const text = tryText[context.locale];
  return providerFrame(context, provider, 'try', {
    status: 400,
    body: html`<section><p>${text.noTrial}</p>${again(context, provider)}</section>`,
  });
}

export function again({ locale }: ConsoleContext, { id }: ProviderRow): Html {
  return html`<p><a class="button" href="${providerPath(id, 'try')}">${tryText[locale].tryAgain}</a></p>`;
}

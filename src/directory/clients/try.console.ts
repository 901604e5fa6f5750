import { failure } from '../../failures.ts';
import { etagOf } from '../../operators/api/operation.ts';
import { answerForm } from '../../operators/console-frame/answer.ts';
import {
  type ConsoleContext,
  type ConsolePage,
  type Faults,
  NO_FAULTS,
  type View,
} from '../../operators/console-frame/page.ts';
import { actionButton, faultSummary, field } from '../../operators/console-frame/parts.ts';
import { type Answer, redirect } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { Values } from '../fields/form.console.ts';
import { clientFrame, clientPath, redirectUrisOf, withClient } from './frame.console.ts';
import { updateClient } from './operations.ts';
import { beginTrial, callbackOf, withoutCallback } from './trial.console.ts';
import { clientTryText } from './try.console.text.ts';

/** …/clients/{client_id}/try: begins a login that ends at /console/try/callback, which is registered for as long as that takes. */
export const clientTry: ConsolePage = {
  place: 'applications',
  show: context => withClient(context, client => view(context, client, NO_FAULTS)),
  submit: (context, form) =>
    withClient(context, client =>
      form.get('action') === 'unregister' ? unregister(context, client) : start(context, client, form),
    ),
};

/** After a trial that did not come back. */
async function unregister(context: ConsoleContext, client: Values): Promise<View | Answer> {
  const { perform, services } = context;
  const saved = await perform(updateClient, { body: withoutCallback(services, client) }, etagOf(client));
  return answerForm(context, saved, { path: pathOf(context), notice: 'saved' }, faults =>
    view(context, client, faults),
  );
}

async function start(context: ConsoleContext, client: Values, form: Params): Promise<View | Answer> {
  const { may, services, params, perform } = context;
  if (!may('operator')) return { failure: failure('roleTooLow', 'operator') };
  const callback = callbackOf(services);
  if (!redirectUrisOf(client).includes(callback)) {
    const body = { redirect_uris: [...redirectUrisOf(client), callback] };
    const saved = await perform(updateClient, { body }, etagOf(client));
    if (saved.kind === 'refused') return saved.refusal;
    if (saved.kind === 'faults') return view(context, client, saved.faults);
  }
  const scope = form.get('scope');
  const asked = {
    ...(scope === undefined ? {} : { scope }),
    ...(form.get('again') === 'true' ? { prompt: 'login' } : {}),
  };
  const { location, cookie } = beginTrial(services, params.code ?? '', String(client.client_id), asked);
  return redirect(location, 303, [cookie]);
}

function pathOf({ params }: ConsoleContext): string {
  return clientPath(params.code ?? '', params.client_id ?? '', 'try');
}

function view(context: ConsoleContext, client: Values, faults: Faults): View {
  const text = clientTryText[context.locale];
  const body = html`<section><h2>${text.title}</h2><p>${text.about}</p>${faultSummary(context.locale, faults)}
${next(context, client)}</section>`;
  return clientFrame(context, client, 'try', body, faults.size === 0 ? 200 : 400);
}

function next(context: ConsoleContext, client: Values): Html {
  const { locale, may, params, services } = context;
  const text = clientTryText[locale];
  if (!may('operator')) return html`<p>${text.noRole}</p>`;
  if (!(client.grant_types as string[]).includes('authorization_code')) {
    const settings = clientPath(params.code ?? '', String(client.client_id), 'permissions');
    return html`<p>${text.noGrant} <a href="${settings}">${text.settings}</a></p>`;
  }
  const isLeft = redirectUrisOf(client).includes(callbackOf(services));
  return html`${isLeft && html`<p>${text.left}</p>${actionButton({ action: 'unregister', label: text.unregister })}`}
<form method="post" action="${pathOf(context)}"><input type="hidden" name="action" value="start">
${field({ name: 'scope', label: text.scope, hint: text.scopeHint, value: String(client.scope) }, NO_FAULTS)}${field({ name: 'again', label: text.again, hint: text.againHint, kind: 'check' }, NO_FAULTS)}<p>${text.registered} <code>${callbackOf(services)}</code></p>
<button type="submit">${text.start}</button></form>`;
}

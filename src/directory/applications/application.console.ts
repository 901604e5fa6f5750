import { refusalTitle } from '../../audit/explain/failure-text.console.ts';
import { listRefusalGroups } from '../../audit/refusals/operations.ts';
import { etagOf } from '../../operators/api/operation.ts';
import { answerForm } from '../../operators/console/answer.ts';
import {
  type ConsoleContext,
  type ConsolePage,
  type Faults,
  NO_FAULTS,
  refusalOf,
  type View,
} from '../../operators/console/page.ts';
import { confirmByName, copyable, faultSummary, table, timeOf } from '../../operators/console/parts.ts';
import { consoleText } from '../../operators/console/text.ts';
import type { Answer, Refusal } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import { apisSection } from '../apis/of-application.console.ts';
import type { Api } from '../apis/rules.ts';
import { originText } from '../clients/console.text.ts';
import { createClient, listClients } from '../clients/operations.ts';
import type { ClientOrigin } from '../clients/rules.ts';
import type { Values } from '../fields/form.console.ts';
import { BUILT_IN_APPLICATION } from './built-in.rules.ts';
import { applicationsPlace, applicationText } from './console.text.ts';
import { applicationForm } from './form.console.ts';
import { deleteApplication, getApplication, updateApplication } from './operations.ts';
import { issuerOf } from './rules.ts';

interface ClientRow {
  readonly client_id: string;
  readonly client_name: string;
  readonly token_endpoint_auth_method: string;
  readonly origin?: ClientOrigin;
}

interface RefusalGroup {
  readonly reason: string;
  readonly client?: string;
  readonly count: number;
  readonly latest: { readonly request_id: string; readonly time: string };
}

const REFUSALS_SHOWN = 5;

/** /console/applications/{code}: its clients, its settings, and its end. */
export const application: ConsolePage = {
  place: 'applications',
  dangerous: ['delete'],
  omittable: ['logo_uri'],
  show: context => view(context, undefined, NO_FAULTS),
  submit: async (context, form) => {
    if (form.get('action') === 'delete') return remove(context, form);
    const { code: _, ...body } = (await applicationForm(context)).typed(form);
    const saved = await context.perform(updateApplication, { body }, form.get('etag'));
    const path = `/console/applications/${encodeURIComponent(context.params.code ?? '')}`;
    return answerForm(context, saved, { path, notice: 'saved' }, faults => view(context, body, faults));
  },
};

async function remove(context: ConsoleContext, form: Params): Promise<View | Answer> {
  const { params, perform, locale } = context;
  const again = (faults: Faults) => view(context, undefined, faults);
  if (form.get('confirm') !== params.code) return again(new Map([['confirm', applicationText[locale].wrongName]]));
  const next = { path: '/console/applications', notice: 'applicationDeleted' } as const;
  return answerForm(context, await perform(deleteApplication), next, again);
}

/** `typed`: what was sent with faults stays in the form. */
async function view(context: ConsoleContext, typed: Values | undefined, faults: Faults): Promise<View | Refusal> {
  const { locale, perform, params, services, may, can } = context;
  const text = applicationText[locale];
  const found = await perform<Values>(getApplication);
  if (found.kind !== 'done') return refusalOf(found);
  const clients = await perform<{ items: ClientRow[] }>(listClients, { query: { limit: '200' } });
  if (clients.kind !== 'done') return refusalOf(clients);
  const { show } = await applicationForm(context);
  const code = params.code ?? '';
  const refused = await perform<{ items: RefusalGroup[] }>(listRefusalGroups, {
    params: {},
    query: { application: code },
  });
  const path = `/console/applications/${encodeURIComponent(code)}`;
  const rows = clients.value.items.map(each => [
    html`<a href="${path}/clients/${encodeURIComponent(each.client_id)}"><strong>${each.client_name}</strong></a>`,
    copyable(locale, each.client_id),
    each.token_endpoint_auth_method,
    originText[locale][each.origin ?? 'operator'],
  ]);
  // The built-in application has clients, and settings of its own that stay as they are.
  const canChange = may('operator') && code !== BUILT_IN_APPLICATION;
  return {
    title: String(found.value.name),
    crumbs: [[applicationsPlace[locale], '/console/applications']],
    about: html`${text.issuer} ${copyable(locale, issuerOf(services.config.baseUrl, code))} · <a href="${path}/keys">${text.keys}</a>${
      code !== BUILT_IN_APPLICATION && html` · <a href="${path}/initial-access-tokens">${text.initialTokens}</a>`
    }`,
    actions: can(createClient)
      ? html`<a class=\"button\" href=\"${path}/clients/new\">${text.newClient}</a>`
      : undefined,
    status: faults.size === 0 ? 200 : 400,
    body: html`<section><h2>${text.clients}</h2>${table(text.clientColumns, rows, html`<p>${text.noClients}</p>`)}</section>
${code !== BUILT_IN_APPLICATION && apisSection(locale, path, (found.value.apis ?? []) as readonly Api[], canChange)}
${refused.kind === 'done' && refusalSection(locale, code, refused.value.items)}
<section><h2>${text.settings}</h2><form method="post">${faultSummary(locale, faults)}
<input type="hidden" name="etag" value="${etagOf(found.value)}">
${show(typed ?? found.value, faults, found.value)}${canChange && html`<button type="submit">${consoleText[locale].save}</button>`}</form></section>
${canChange && html`<section><h2>${text.remove}</h2><p>${text.removal}</p>${confirmByName(locale, code, 'delete', text.removeButton, faults)}</section>`}`,
  };
}

function refusalSection(locale: OperatorLocale, code: string, groups: readonly RefusalGroup[]): Html {
  const text = applicationText[locale];
  const rows = groups
    .slice(0, REFUSALS_SHOWN)
    .map(({ reason, client, count, latest }) => [
      html`<strong>${refusalTitle(locale, reason)}</strong>`,
      client,
      count,
      html`${timeOf(locale, latest.time)} <a href="/console/refusals/${encodeURIComponent(latest.request_id)}">${text.explain}</a>`,
    ]);
  const all = html`<p class="after"><a href="/console/refusals?application=${encodeURIComponent(code)}">${text.allRefusals}</a></p>`;
  return html`<section><h2>${text.refusals}</h2>${table(text.refusalColumns, rows, html`<p>${text.noRefusals}</p>`)}${rows.length > 0 && all}</section>`;
}

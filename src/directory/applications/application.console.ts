import { refusalTitle } from '../../audit/explain/failure-text.console.ts';
import { listRefusalGroups } from '../../audit/refusals/operations.ts';
import { type ConsoleContext, type ConsolePage, refusalOf } from '../../operators/console-frame/page.ts';
import { copyable, table, timeOf } from '../../operators/console-frame/parts.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { originText } from '../clients/console.text.ts';
import { createClient, listClients } from '../clients/operations.ts';
import type { ClientOrigin } from '../clients/rules.ts';
import type { Values } from '../fields/form.console.ts';
import { applicationText } from './console.text.ts';
import { applicationFrame, applicationPath } from './frame.console.ts';
import { getApplication } from './operations.ts';

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

/** /console/applications/{code}: its clients, and what was refused to them. */
export const application: ConsolePage = {
  place: 'applications',
  show: async context => {
    const { locale, perform, params, can } = context;
    const text = applicationText[locale];
    const found = await perform<Values>(getApplication);
    if (found.kind !== 'done') return refusalOf(found);
    const clients = await perform<{ items: ClientRow[] }>(listClients, { query: { limit: '200' } });
    if (clients.kind !== 'done') return refusalOf(clients);
    const code = params.code ?? '';
    const refused = await perform<{ items: RefusalGroup[] }>(listRefusalGroups, {
      params: {},
      query: { application: code },
    });
    const create =
      can(createClient) && html`<a class="button" href="${applicationPath(code)}/clients/new">${text.newClient}</a>`;
    const { items } = clients.value;
    return applicationFrame(context, found.value.name, 'clients', {
      actions: (items.length > 0 && create) || undefined,
      body: html`<section><h2>${text.clients}</h2>${clientTable(context, items, create)}</section>
${refused.kind === 'done' && refusalSection(context, code, refused.value.items)}`,
    });
  },
};

function clientTable({ locale, params }: ConsoleContext, items: readonly ClientRow[], create: Html | false): Html {
  const text = applicationText[locale];
  const path = `${applicationPath(params.code ?? '')}/clients`;
  const rows = items.map(each => [
    html`<a href="${path}/${encodeURIComponent(each.client_id)}"><strong>${each.client_name}</strong></a>`,
    copyable(locale, each.client_id),
    each.token_endpoint_auth_method,
    originText[locale][each.origin ?? 'operator'],
  ]);
  return table(text.clientColumns, rows, html`<p>${text.noClients}</p>${create}`);
}

function refusalSection(context: ConsoleContext, code: string, groups: readonly RefusalGroup[]): Html {
  const { locale } = context;
  const text = applicationText[locale];
  const rows = groups
    .slice(0, REFUSALS_SHOWN)
    .map(({ reason, client, count, latest }) => [
      html`<strong>${refusalTitle(context, reason)}</strong>`,
      client,
      count,
      html`${timeOf(locale, latest.time)} <a href="/console/refusals/${encodeURIComponent(latest.request_id)}">${text.explain}</a>`,
    ]);
  const all = html`<p class="after"><a href="/console/refusals?application=${encodeURIComponent(code)}">${text.allRefusals}</a></p>`;
  return html`<section><h2>${text.refusals}</h2>${table(text.refusalColumns, rows, html`<p>${text.noRefusals}</p>`)}${rows.length > 0 && all}</section>`;
}

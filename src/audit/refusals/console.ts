import {
  type ConsoleContext,
  type ConsolePage,
  NO_FAULTS,
  refusalOf,
  type View,
} from '../../operators/console-frame/page.ts';
import { addressOf, copyable, field, pager, pill, table, timeOf } from '../../operators/console-frame/parts.ts';
import { consoleText } from '../../operators/console-frame/text.ts';
import { type Refusal, redirect } from '../../platform/http/message.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { applicationLink, clientLink, pathOf } from '../explain/console.ts';
import { refusalTitle } from '../explain/failure-text.console.ts';
import { getRefusal } from '../explain/operations.ts';
import { refusalsPlace, refusalsText } from './console.text.ts';
import { listRefusalGroups, listRefusals } from './operations.ts';

interface Row {
  readonly request_id: string;
  readonly time: string;
  readonly application?: string;
  readonly client?: string;
  readonly reason: string;
}

interface Group extends Omit<Row, 'request_id' | 'time'> {
  readonly error?: string;
  readonly count: number;
  readonly first: string;
  readonly latest: Pick<Row, 'request_id' | 'time'>;
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

/** /console/refusals: by reason and client; with a reason in the address, the requests of that reason. */
export const refusals: ConsolePage = {
  place: 'refusals',
  show: async context => (context.query.get('reason') === undefined ? groupsView(context) : requestsView(context)),
  submit: async (context, form) => {
    const requestId = form.get('request_id')?.trim() ?? '';
    const found = await context.perform(getRefusal, { params: { request_id: requestId } });
    if (found.kind !== 'done') return groupsView(context, requestId);
    return redirect(`${context.services.config.baseUrl}${pathOf(requestId)}`, 303);
  },
};

/** `unknown`: a request id that was looked for in vain. */
async function groupsView(context: ConsoleContext, unknown?: string): Promise<View | Refusal> {
  const { locale, query, perform } = context;
  const text = refusalsText[locale];
  const asked = given(query, ['application', 'cursor']);
  const found = await perform<Page<Group>>(listRefusalGroups, { query: asked });
  if (found.kind !== 'done') return refusalOf(found);
  const { items, next } = found.value;
  const rows = items.map(group => [
    html`<a href="${addressOf('/console/refusals', { application: group.application, reason: group.reason })}"><strong>${refusalTitle(context, group.reason)}</strong></a> ${group.error !== undefined && pill('plain', group.error)}`,
    ofClient(locale, group),
    html`${pill(group.count > 1 ? 'bad' : 'plain', group.count.toLocaleString(locale))}${group.count > 1 && html` <span class="muted">${text.since} ${timeOf(locale, group.first)}</span>`}`,
    html`${timeOf(locale, group.latest.time)}<br><a href="${pathOf(group.latest.request_id)}">${text.explain}</a>`,
  ]);
  return {
    title: refusalsPlace[locale],
    about: html`${text.about}`,
    status: unknown === undefined ? 200 : 400,
    body: html`${findForm(context, unknown)}
<section class="words">${table(text.groups, rows, html`<p>${text.empty}</p>`)}
${(next !== null || asked.cursor !== undefined) && html`<p class="muted">${text.counted}</p>`}
${pager(locale, '/console/refusals', { application: asked.application }, { cursor: asked.cursor, next })}</section>`,
  };
}

function findForm({ locale }: ConsoleContext, unknown: string | undefined): Html {
  const text = refusalsText[locale];
  const faults = unknown === undefined ? NO_FAULTS : new Map([['request_id', text.unknown]]);
  return html`<section><form method="post" class="filters">
${field({ name: 'request_id', label: text.find, value: unknown, required: true }, faults)}<button type="submit">${text.open}</button></form></section>`;
}

async function requestsView(context: ConsoleContext): Promise<View | Refusal> {
  const { locale, query, perform } = context;
  const text = refusalsText[locale];
  const asked = given(query, ['application', 'reason', 'cursor']);
  const found = await perform<Page<Row>>(listRefusals, { query: asked });
  if (found.kind !== 'done') return refusalOf(found);
  const { items, next } = found.value;
  const rows = items.map(row => [
    html`<a href="${pathOf(row.request_id)}">${text.explain}</a> ${copyable(locale, row.request_id)}`,
    ofClient(locale, row),
    timeOf(locale, row.time),
  ]);
  return {
    title: text.ofReason(refusalTitle(context, asked.reason ?? '')),
    crumbs: [[refusalsPlace[locale], '/console/refusals']],
    body: html`<section class="words">${table(text.requests, rows, html`<p>${text.emptyFiltered}</p><p><a href="/console/refusals">${text.all}</a></p>`)}
${pager(locale, '/console/refusals', { application: asked.application, reason: asked.reason }, { cursor: asked.cursor, next })}</section>`,
  };
}

function ofClient(
  locale: ConsoleContext['locale'],
  { application, client }: Pick<Row, 'application' | 'client'>,
): Html {
  if (application === undefined) return html`<span class="muted">${consoleText[locale].nothing}</span>`;
  return html`${applicationLink(application)}${client !== undefined && html` · ${clientLink(application, client)}`}`;
}

function given<Name extends string>(
  query: ConsoleContext['query'],
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const entries = names.map(name => [name, query.get(name)] as const).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Partial<Record<Name, string>>;
}

import {
  type ConsoleContext,
  type ConsolePage,
  NO_FAULTS,
  refusalOf,
  type View,
} from '../../operators/console/page.ts';
import { addressOf, copyable, field, pager, pill, table, timeOf } from '../../operators/console/parts.ts';
import { consoleText, inLocale } from '../../operators/console/text.ts';
import { type Refusal, redirect } from '../../platform/http/message.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { applicationLink, clientLink, pathOf } from '../explain/console.ts';
import { refusalTitle } from '../explain/failure-text.console.ts';
import { getRefusal } from '../explain/operations.ts';
import { listRefusalGroups, listRefusals } from './operations.ts';

const words = inLocale({
  en: {
    about: 'Requests that were refused in the last seven days, grouped by reason and client.',
    ofReason: (title: string) => `Refused: ${title.charAt(0).toLowerCase()}${title.slice(1)}`,
    groups: ['Reason', 'Application and client', 'Times', 'Latest'],
    since: 'since',
    requests: ['Request', 'Application and client', 'Time'],
    explain: 'Explain',
    counted: 'Each page counts 1,000 requests; the next one has older requests.',
    empty: 'No request was refused. When one is, this page says why, and what to do.',
    emptyFiltered: 'No request of this kind was refused in the last seven days.',
    all: 'All refusals',
    find: 'Request id, from an error page or the header X-Request-Id',
    open: 'Explain',
    unknown:
      'Nothing is known of this request: it was not refused, is older than seven days, or was one of too many in its minute.',
  },
  zh: {
    about: '最近七天被拒绝的请求，按原因和客户端分组。',
    ofReason: (title: string) => `被拒绝：${title}`,
    groups: ['原因', '应用和客户端', '次数', '最近一次'],
    since: '始于',
    requests: ['请求', '应用和客户端', '时间'],
    explain: '查看原因',
    counted: '每页统计 1,000 个请求；下一页是更早的请求。',
    empty: '没有被拒绝的请求。如有请求被拒绝，此页面会说明原因和处理方法。',
    emptyFiltered: '最近七天没有此类被拒绝的请求。',
    all: '全部被拒绝的请求',
    find: '请求编号（来自错误页面或 X-Request-Id 标头）',
    open: '查看原因',
    unknown: '没有此请求的信息：它没有被拒绝、已超过七天，或所在分钟内被拒绝的请求过多。',
  },
});

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
  const text = words(locale);
  const asked = given(query, ['application', 'cursor']);
  const found = await perform<Page<Group>>(listRefusalGroups, { query: asked });
  if (found.kind !== 'done') return refusalOf(found);
  const { items, next } = found.value;
  const rows = items.map(group => [
    html`<a href="${addressOf('/console/refusals', { application: group.application, reason: group.reason })}"><strong>${refusalTitle(locale, group.reason)}</strong></a> ${group.error !== undefined && pill('plain', group.error)}`,
    ofClient(locale, group),
    html`${pill(group.count > 1 ? 'bad' : 'plain', group.count.toLocaleString(locale))}${group.count > 1 && html` <span class="muted">${text.since} ${timeOf(locale, group.first)}</span>`}`,
    html`${timeOf(locale, group.latest.time)}<br><a href="${pathOf(group.latest.request_id)}">${text.explain}</a>`,
  ]);
  return {
    title: consoleText(locale).places.refusals,
    about: html`${text.about}`,
    status: unknown === undefined ? 200 : 400,
    body: html`${findForm(context, unknown)}
<section class="words">${table(text.groups, rows, html`<p>${text.empty}</p>`)}
${(next !== null || asked.cursor !== undefined) && html`<p class="muted">${text.counted}</p>`}
${pager(locale, '/console/refusals', { application: asked.application }, { cursor: asked.cursor, next })}</section>`,
  };
}

function findForm({ locale }: ConsoleContext, unknown: string | undefined): Html {
  const text = words(locale);
  const faults = unknown === undefined ? NO_FAULTS : new Map([['request_id', text.unknown]]);
  return html`<section><form method="post" class="filters">
${field({ name: 'request_id', label: text.find, value: unknown, required: true }, faults)}<button type="submit">${text.open}</button></form></section>`;
}

async function requestsView({ locale, query, perform }: ConsoleContext): Promise<View | Refusal> {
  const text = words(locale);
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
    title: text.ofReason(refusalTitle(locale, asked.reason ?? '')),
    crumbs: [[consoleText(locale).places.refusals, '/console/refusals']],
    body: html`<section class="words">${table(text.requests, rows, html`<p>${text.emptyFiltered}</p><p><a href="/console/refusals">${text.all}</a></p>`)}
${pager(locale, '/console/refusals', { application: asked.application, reason: asked.reason }, { cursor: asked.cursor, next })}</section>`,
  };
}

function ofClient(
  locale: ConsoleContext['locale'],
  { application, client }: Pick<Row, 'application' | 'client'>,
): Html {
  if (application === undefined) return html`<span class="muted">${consoleText(locale).nothing}</span>`;
  return html`${applicationLink(application)}${client !== undefined && html` · ${clientLink(application, client)}`}`;
}

function given<Name extends string>(
  query: ConsoleContext['query'],
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const entries = names.map(name => [name, query.get(name)] as const).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Partial<Record<Name, string>>;
}

import { eventTitle } from '../../events.ts';
import { type ConsoleContext, type ConsolePage, NO_FAULTS, type View } from '../../operators/console-frame/page.ts';
import { addressOf, copyable, faultSummary, pager, pill, table, timeOf } from '../../operators/console-frame/parts.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import { timeText } from '../../platform/ui/time-text.ts';
import { applicationLink, clientLink, pathOf } from '../explain/console.ts';
import { activeFilters, rangeChips } from './chips.console.ts';
import { activityPlace, activityText } from './console.text.ts';
import { type Filters, filterForm, filtersIn } from './filters.console.ts';
import type { EventView } from './operations.ts';
import { listEvents } from './operations.ts';
import { actorOf, type Names, namesIn, subjectOf, withSubs } from './who.console.ts';

export interface EventPage {
  readonly items: readonly EventView[];
  readonly next: string | null;
}

const PATH = '/console/activity';

/** /console/activity: the audit log, with filters, a live tail and an export. */
export const activity: ConsolePage = {
  place: 'activity',
  show: async context => {
    const { locale, query, perform } = context;
    const filters = await withSubs(context, filtersIn(query));
    const cursor = query.get('cursor');
    const asked = { ...filters, ...(cursor === undefined ? {} : { cursor }) };
    const found = await perform<EventPage>(listEvents, { query: asked });
    if (found.kind === 'refused') return found.refusal;
    const faults = found.kind === 'faults' ? found.faults : NO_FAULTS;
    const text = activityText[locale];
    const page = found.kind === 'done' ? found.value : { items: [], next: null };
    const names = await namesIn(context, page.items, filters);
    const view: View = {
      title: activityPlace[locale],
      about: html`${text.about}`,
      actions: exports(context, filters),
      status: faults.size === 0 ? 200 : 400,
      body: html`<section>${faultSummary(locale, faults)}<div class="chips">${rangeChips(locale, filters, context.services.clock.now())}${activeFilters(context, filters, names)}</div>
${filterForm(context, filters, faults)}</section>
<section class="words">${tools(context, filters, cursor)}<div data-live="list">
${list(context, page.items, filters, names)}${pager(locale, PATH, filters, { cursor, next: page.next })}
</div></section>`,
    };
    return view;
  },
};

/** The check box works with script alone and is shown by it; without, there is the link. */
function tools({ locale }: ConsoleContext, filters: Filters, cursor: string | undefined): Html {
  const text = activityText[locale];
  const live =
    cursor === undefined &&
    html`<span class="field check" data-live="switch" hidden><input type="checkbox" id="live"><label for="live">${text.live}</label></span>`;
  return html`<div class="tools">${live}<a href="${addressOf(PATH, filters)}">${text.reload}</a></div>`;
}

function exports({ locale }: ConsoleContext, filters: Filters): Html {
  const text = activityText[locale];
  const link = (format: string | undefined, label: string) =>
    html`<a class="button quiet" href="${addressOf(`${PATH}/export`, { ...filters, format })}" title="${text.exportNote}" download>${label}</a>`;
  return html`<div class="actions">${link('csv', text.exportCsv)}${link(undefined, text.export)}</div>`;
}

function list(context: ConsoleContext, items: readonly EventView[], filters: Filters, names: Names): Html {
  const { locale } = context;
  const text = activityText[locale];
  const rows = items.map(event => [
    timeOf(locale, event.time),
    whatOf(context, event, filters, names),
    actorOf(locale, names, event),
    whereOf(event),
    detailsOf(locale, event),
  ]);
  const isFiltered = Object.keys(filters).length > 0;
  return table(text.columns, rows, html`<p>${isFiltered ? text.emptyFiltered : text.empty}</p>`);
}

/** What happened, in words, and to whom; only what went wrong is marked. */
function whatOf({ services, locale }: ConsoleContext, event: EventView, filters: Filters, names: Names): Html {
  const { type, outcome } = event;
  const subject = subjectOf(names, event);
  return html`<a href="${addressOf(PATH, { ...filters, type })}"><strong>${eventTitle(services.tables.events, locale, type)}</strong></a>${
    outcome !== 'success' && html` ${pill('bad', activityText[locale].outcomes[outcome])}`
  }<span class="sub">${subject && html`${subject.name ?? subject.username} · `}<code>${type}</code></span>`;
}

function whereOf({ application, client }: EventView): Html | undefined {
  if (application === undefined) return undefined;
  return html`${applicationLink(application)}${client !== undefined && html` · ${clientLink(application, client)}`}`;
}

function detailsOf(locale: OperatorLocale, event: EventView): Html {
  const text = activityText[locale];
  const { id, time, subject, address, user_agent, request_id, outcome, details } = event;
  const row = (label: string, value: Html | undefined) => value && html`<dt>${label}</dt><dd>${value}</dd>\n`;
  return html`<details><summary>${text.details}</summary><dl class="facts">
<dt>id</dt><dd>${copyable(locale, id)}</dd>
<dt>${text.time}</dt><dd>${timeText(locale, new Date(time), 'second')}</dd>
${row(text.subject, subject === undefined ? undefined : html`${copyable(locale, subject)} <a href="${addressOf(PATH, { user: subject })}">${text.onlyThis}</a>`)}${row(text.address, address === undefined ? undefined : copyable(locale, address))}${row(text.browser, user_agent === undefined ? undefined : html`${user_agent}`)}${row(
  text.request,
  request_id === undefined
    ? undefined
    : html`${copyable(locale, request_id)} <a href="${addressOf(PATH, { request_id })}">${text.onlyThis}</a>${outcome !== 'success' && html` <a href="${pathOf(request_id)}">${text.explain}</a>`}`,
)}${Object.entries(details ?? {}).map(([name, value]) => row(name, html`<code>${typeof value === 'string' ? value : JSON.stringify(value)}</code>`))}</dl></details>`;
}

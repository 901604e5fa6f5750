import { type Events, eventTitle, eventTypes } from '../../events.ts';
import type { ConsoleContext, Faults } from '../../operators/console-frame/page.ts';
import { field } from '../../operators/console-frame/parts.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import { activityText } from './console.text.ts';

/** The filters of the audit log. They live in the address, with the names of the admin API. */
const filterNames = ['type', 'application', 'client', 'user', 'operator', 'request_id', 'from', 'to'] as const;
export type Filters = Readonly<Partial<Record<(typeof filterNames)[number], string>>>;

export function filtersIn(query: Params): Filters {
  const filters: Record<string, string> = {};
  for (const name of filterNames) {
    const value = query.get(name)?.trim();
    if (value) filters[name] = name === 'from' || name === 'to' ? asUtc(value) : value;
  }
  return filters;
}

/** A field for a time sends it without a zone; it is meant in UTC. */
function asUtc(value: string): string {
  const [, minutes, seconds = ':00'] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(:\d\d)?$/.exec(value) ?? [];
  return minutes === undefined ? value : `${minutes}${seconds}Z`;
}

/** As a field for a time takes it. */
function withoutZone(value: string | undefined): string {
  const isReadable = value !== undefined && !Number.isNaN(Date.parse(value));
  return isReadable ? new Date(value).toISOString().slice(0, 19) : '';
}

type Reader = Pick<ConsoleContext, 'services' | 'locale'>;

const ALWAYS = ['type', 'application', 'user'] as const;
const FURTHER = ['client', 'operator', 'request_id'] as const;

export function filterForm({ services, locale }: Reader, filters: Filters, faults: Faults): Html {
  const { events } = services.tables;
  const text = activityText[locale];
  const named = (name: (typeof filterNames)[number]) =>
    field(
      {
        name,
        label: text.filters[name],
        value: filters[name],
        kind: name === 'type' ? types(events, locale, filters.type) : 'text',
      },
      faults,
    );
  const isOpen = [...FURTHER, 'from' as const, 'to' as const].some(name => filters[name] !== undefined);
  return html`<form method="get" action="/console/activity" role="search"><div class="filters">
${ALWAYS.map(named)}<button type="submit">${text.filter}</button></div>
<details${isOpen && html` open`}><summary>${text.more}</summary><div class="filters">
${FURTHER.map(named)}${(['from', 'to'] as const).map(name => timeField(name, text.filters[name], filters[name], faults))}</div></details>
${Object.keys(filters).length > 0 && html`<p><a href="/console/activity">${text.clear}</a></p>`}</form>`;
}

/** Several types can be in the address, separated by commas. */
function types(events: Events, locale: OperatorLocale, current: string | undefined) {
  const known = eventTypes(events);
  const also = current === undefined || known.includes(current) ? [] : [current];
  return {
    options: [
      ['', activityText[locale].every],
      ...[...also, ...known].map(type => [type, eventTitle(events, locale, type)]),
    ] as [string, string][],
  };
}

function timeField(name: 'from' | 'to', label: string, value: string | undefined, faults: Faults): Html {
  const fault = faults.get(name);
  return html`<div class="field"><label for="${name}">${label}</label><input type="datetime-local" step="1" id="${name}" name="${name}" value="${withoutZone(value)}"${fault !== undefined && html` aria-invalid="true" aria-describedby="${name}-fault"`}>${fault !== undefined && html`<p class="fault" id="${name}-fault">${fault}</p>`}</div>\n`;
}

import { eventTitle } from '../../events.ts';
import type { ConsoleContext } from '../../operators/console-frame/page.ts';
import { addressOf, filterChip, timeOf } from '../../operators/console-frame/parts.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import { activityText } from './console.text.ts';
import type { Filters } from './filters.console.ts';
import type { Names } from './who.console.ts';

const PATH = '/console/activity';
const DAY_SECONDS = 86_400;

/** Ranges one click away: days of UTC, and with script those of the reader (console-times.js). In days from today, the end excluded. */
const RANGES = [
  { name: 'today', from: 0, to: undefined },
  { name: 'yesterday', from: -1, to: 0 },
  { name: 'week', from: -6, to: undefined },
] as const;

export function rangeChips(locale: OperatorLocale, filters: Filters, now: number): Html {
  const text = activityText[locale];
  const midnight = now - (now % DAY_SECONDS);
  const at = (days: number | undefined) =>
    days === undefined ? undefined : new Date((midnight + days * DAY_SECONDS) * 1000).toISOString();
  const chips = RANGES.map(({ name, from, to }) => {
    const range = { from: at(from), to: at(to) };
    const isCurrent = isSameTime(filters.from, range.from) && isSameTime(filters.to, range.to);
    return html`<a class="chip" href="${addressOf(PATH, { ...filters, ...range })}" data-from="${from}"${to !== undefined && html` data-to="${to}"`}${isCurrent && html` aria-current="true"`}>${text.ranges[name]}</a>\n`;
  });
  return html`${chips}`;
}

function isSameTime(one: string | undefined, other: string | undefined): boolean {
  return one === other || Date.parse(one ?? '') === Date.parse(other ?? '');
}

/** The filters that are in force, each with the way out of it. */
export function activeFilters(context: ConsoleContext, filters: Filters, { users }: Names): Html {
  const text = activityText[context.locale];
  const chips = Object.entries(filters).map(([name, value]) => {
    const label = text.chips[name as keyof Filters];
    const { [name as keyof Filters]: _, ...others } = filters;
    const person = name === 'user' || name === 'operator' ? users.get(value) : undefined;
    const shown = person ? (person.name ?? person.username) : shownValue(context, name, value);
    return filterChip(html`${label}: ${shown}`, addressOf(PATH, others), text.without(label));
  });
  return html`${chips}`;
}

function shownValue({ services, locale }: ConsoleContext, name: string, value: string): string | Html {
  if (name === 'type')
    return value
      .split(',')
      .map(type => eventTitle(services.tables.events, locale, type))
      .join(', ');
  const isTime = (name === 'from' || name === 'to') && !Number.isNaN(Date.parse(value));
  return isTime ? timeOf(locale, value) : value;
}

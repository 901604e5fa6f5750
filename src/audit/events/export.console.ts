import { eventTitle } from '../../events.ts';
import { type ConsoleContext, type ConsolePage, refusalOf } from '../../operators/console-frame/page.ts';
import { GUARDED, type Refusal } from '../../platform/http/message.ts';
import type { EventPage } from './console.ts';
import { csvLine } from './csv.rules.ts';
import { type Filters, filtersIn } from './filters.console.ts';
import { type EventView, listEvents } from './operations.ts';
import { type Names, namesIn, withSubs } from './who.console.ts';

/** The page says so: a file of about 5 MB, made in memory. */
const MAX_EVENTS = 10_000;
const PAGE_SIZE = 200;

/**
 * /console/activity/export: the events of the filters, newest first. One JSON object in a line as GET /events has them, or, with
 * `format=csv`, a table for spreadsheets with the names of people.
 */
export const activityExport: ConsolePage = {
  place: 'activity',
  show: async context => {
    const { type, extension, lines } = context.query.get('format') === 'csv' ? CSV : JSON_LINES;
    const written = await writtenEvents(context, await withSubs(context, filtersIn(context.query)), lines);
    if ('failure' in written) return written;
    const { count, isAll, body } = written;
    // The name tells whether there are more.
    const name = isAll ? `events.${extension}` : `events-newest-${count}.${extension}`;
    const headers = {
      ...GUARDED,
      'content-type': `${type}; charset=utf-8`,
      'content-disposition': `attachment; filename="${name}"`,
      'cache-control': 'no-store',
    };
    return { status: 200, headers, body };
  },
};

interface Written {
  readonly count: number;
  readonly isAll: boolean;
  readonly body: string;
}

async function writtenEvents(context: ConsoleContext, filters: Filters, lines: Lines): Promise<Written | Refusal> {
  const pages: string[] = [lines.head];
  let count = 0;
  let cursor: string | null = '';
  while (cursor !== null && count < MAX_EVENTS) {
    const after: { cursor?: string } = cursor === '' ? {} : { cursor };
    const query = { ...filters, ...after, limit: String(PAGE_SIZE) };
    const found = await context.perform<EventPage>(listEvents, { query });
    if (found.kind !== 'done') return refusalOf(found);
    pages.push(await lines.of(context, found.value.items));
    count += found.value.items.length;
    cursor = found.value.next;
  }
  return { count, isAll: cursor === null, body: pages.join('') };
}

interface Lines {
  readonly head: string;
  of(context: ConsoleContext, events: readonly EventView[]): Promise<string>;
}

interface Format {
  readonly type: string;
  readonly extension: string;
  readonly lines: Lines;
}

const JSON_LINES: Format = {
  type: 'application/x-ndjson',
  extension: 'jsonl',
  lines: {
    head: '',
    of: async (_, events) => events.map(event => `${JSON.stringify(event)}\n`).join(''),
  },
};

/** The names of the columns are those of the admin API, in every language: scripts read them too. */
const COLUMNS = [
  ...['time', 'event', 'type', 'outcome', 'actor_kind', 'actor_name', 'actor_id', 'subject_name', 'subject'],
  ...['application', 'client', 'address', 'user_agent', 'request_id', 'id', 'details'],
];

const CSV: Format = {
  type: 'text/csv',
  extension: 'csv',
  lines: {
    head: csvLine(COLUMNS),
    of: async (context, events) => {
      const names = await namesIn(context, events);
      return events.map(event => csvLine(cellsOf(context, names, event))).join('');
    },
  },
};

function cellsOf(
  { services, locale }: ConsoleContext,
  { users, apiKeys }: Names,
  event: EventView,
): (string | undefined)[] {
  const { time, type, outcome, actor, subject, application, client, address, user_agent, request_id, id, details } =
    event;
  const nameOf = (sub = '') => users.get(sub)?.username ?? apiKeys.get(sub);
  return [
    ...[
      time,
      eventTitle(services.tables.events, locale, type),
      type,
      outcome,
      actor.kind,
      nameOf(actor.id),
      actor.id,
      nameOf(subject),
      subject,
    ],
    ...[application, client, address, user_agent, request_id, id, details && JSON.stringify(details)],
  ];
}

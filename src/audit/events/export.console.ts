import { type ConsolePage, refusalOf } from '../../operators/console/page.ts';
import { GUARDED } from '../../platform/http/message.ts';
import type { EventPage } from './console.ts';
import { filtersIn } from './filters.console.ts';
import { listEvents } from './operations.ts';

/** The page says so: a file of about 5 MB, made in memory. */
const MAX_EVENTS = 10_000;
const PAGE_SIZE = 200;

/** /console/activity/export: the events of the filters, newest first, one JSON object in a line as GET /events has them. */
export const activityExport: ConsolePage = {
  place: 'activity',
  show: async ({ query, perform }) => {
    const filters = filtersIn(query);
    const lines: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null && lines.length < MAX_EVENTS) {
      const after: { cursor?: string } = cursor === '' ? {} : { cursor };
      const found = await perform<EventPage>(listEvents, {
        query: { ...filters, ...after, limit: String(PAGE_SIZE) },
      });
      if (found.kind !== 'done') return refusalOf(found);
      for (const event of found.value.items) lines.push(`${JSON.stringify(event)}\n`);
      cursor = found.value.next;
    }
    // The name tells whether there are more.
    const name = cursor === null ? 'events.jsonl' : `events-newest-${lines.length}.jsonl`;
    const headers = {
      ...GUARDED,
      'content-type': 'application/x-ndjson; charset=utf-8',
      'content-disposition': `attachment; filename="${name}"`,
      'cache-control': 'no-store',
    };
    return { status: 200, headers, body: lines.join('') };
  },
};

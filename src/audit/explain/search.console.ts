import { addressOf } from '../../operators/console-frame/parts.ts';
import type { ConsoleSearch, SearchHit } from '../../operators/console-frame/search.ts';
import { listEvents } from '../events/operations.ts';
import { eventsOfRequest, requestsTitle } from './console.text.ts';
import { pathOf } from './console.ts';
import type { Explained } from './explained.ts';
import { refusalTitle } from './failure-text.console.ts';
import { getRefusal } from './operations.ts';

/** An identifier has no spaces; a shorter text is a part of one, and no request is found by a part. */
const REQUEST_ID = /^[\w.:-]{8,255}$/;

/** Requests in the search of the console, by the identifier that their answer and the log have: why one was refused, and its events. */
export const requestSearch: ConsoleSearch = {
  title: requestsTitle,
  find: async (context, text) => {
    if (!REQUEST_ID.test(text)) return [];
    const { perform, locale } = context;
    const [refused, events] = await Promise.all([
      perform<Explained>(getRefusal, { params: { request_id: text } }),
      perform<{ items: unknown[] }>(listEvents, { params: {}, query: { request_id: text, limit: '1' } }),
    ]);
    const hits: SearchHit[] = [];
    if (refused.kind === 'done') {
      const title = refusalTitle(context, refused.value.reason);
      hits.push({ path: pathOf(text), title, about: text, icon: 'refusals' });
    }
    if (events.kind === 'done' && events.value.items.length > 0) {
      const path = addressOf('/console/activity', { request_id: text });
      hits.push({ path, title: eventsOfRequest[locale], about: text, icon: 'activity' });
    }
    return hits;
  },
};

import { z } from 'zod';
import type { Failures } from '../../failures.ts';
import type { Caller } from '../../operators/api/caller.ts';
import { pageAfter, pageOf, pageQuery, toPage } from '../../operators/api/list.ts';
import { type OperationContext, operation } from '../../operators/api/operation.ts';
import { done, invalid } from '../../operators/api/outcome.ts';
import { isoTime, timeField } from '../../operators/api/times.ts';
import type { Snapshot } from '../explain/snapshot.ts';
import type { RefusalFilter, StoredRefusal } from './store.ts';

/** /refusals and /refusal_groups: which requests were refused in the last seven days. /refusals/{request_id} says why. */
const refusalRow = z.object({
  request_id: z.string(),
  time: timeField,
  application: z.string().optional(),
  client: z.string().optional(),
  reason: z.string().meta({ description: 'The row of the error catalogue.' }),
  error: z.string().optional(),
});

const refusalGroup = z.object({
  application: z.string().optional(),
  client: z.string().optional(),
  reason: z.string(),
  error: z.string().optional(),
  count: z.int(),
  first: timeField,
  latest: z.object({ request_id: z.string(), time: timeField }),
});

const application = z
  .string()
  .max(255, 'must have at most 255 characters')
  .optional()
  .meta({ description: 'The code; empty for requests that named no application.' });

/** How many refusals are read for one answer: about 1 KB each. */
const MAX_READ = 1000;

export const listRefusals = operation({
  summary: 'List refused requests of the last seven days, newest first.',
  role: 'auditor',
  reach: 'filtered',
  query: z.strictObject({
    application,
    reason: z.string().min(1, 'must not be empty').max(255, 'must have at most 255 characters').optional(),
    ...pageQuery,
  }),
  result: pageOf(refusalRow),
  async run(context, { query }) {
    const { after, limit } = pageAfter(query);
    const found = await read(context, query, after, limit);
    return found ? done(toPage(found, query, keyOf, rowIn(context.services.tables.failures))) : BAD_CURSOR;
  },
});

export const listRefusalGroups = operation({
  summary: `Count refused requests by reason, application and client. A page counts ${MAX_READ} requests, the newest first.`,
  role: 'auditor',
  reach: 'filtered',
  query: z.strictObject({ application, cursor: pageQuery.cursor }),
  result: pageOf(refusalGroup),
  async run(context, { query }) {
    const found = await read(context, query, query.cursor, MAX_READ + 1);
    if (!found) return BAD_CURSOR;
    const { items, next } = toPage(found, { limit: MAX_READ }, keyOf, rowIn(context.services.tables.failures));
    return done({ items: groupsOf(items), next });
  },
});

type Row = z.output<typeof refusalRow>;

/** The rows are newest first, and so are the groups by their latest. */
function groupsOf(rows: readonly Row[]): z.output<typeof refusalGroup>[] {
  const groups = Map.groupBy(rows, ({ application: app, client, reason }) => JSON.stringify([app, client, reason]));
  return [...groups.values()].map(group => {
    const [latest, first] = [group[0] as Row, group.at(-1) as Row];
    const { request_id, time, ...shared } = latest;
    return { ...shared, count: group.length, first: first.time, latest: { request_id, time } };
  });
}

const BAD_CURSOR = invalid('/cursor', 'must be the "next" of another page');

/** Undefined: the cursor is none. */
async function read(
  { services, caller }: OperationContext,
  query: { readonly application?: string | undefined; readonly reason?: string | undefined },
  cursor: string | undefined,
  limit: number,
): Promise<StoredRefusal[] | undefined> {
  const [, time, requestId] = /^(\d{1,12}) (.{1,200})$/.exec(cursor ?? '') ?? [];
  const after = time === undefined || requestId === undefined ? undefined : { time: Number(time), requestId };
  if (cursor !== undefined && !after) return undefined;
  // The latest may wait to be written.
  await services.refusals.flush();
  return services.store.listRefusals(filterOf(caller, query), { after, limit });
}

/** A caller that is limited to applications sees the refusals of these alone. */
function filterOf(
  { applications }: Caller,
  query: { readonly application?: string | undefined; readonly reason?: string | undefined },
): RefusalFilter {
  const asked = query.application === undefined ? applications : [query.application];
  const apps = asked?.filter(app => applications === undefined || applications.includes(app));
  return { apps, reason: query.reason };
}

function keyOf({ time, requestId }: StoredRefusal): string {
  return `${time} ${requestId}`;
}

function rowIn(failures: Failures): (stored: StoredRefusal) => Row {
  return ({ requestId, app, time, reason, data }) => {
    const { client } = JSON.parse(data) as Partial<Snapshot>;
    return {
      request_id: requestId,
      time: isoTime(time),
      application: app === '' ? undefined : app,
      client,
      reason,
      // A newer release may have written a row that this one does not know.
      error: failures.get(reason)?.error,
    };
  };
}

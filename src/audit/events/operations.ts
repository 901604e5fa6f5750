import { z } from 'zod';
import type { Fields } from '../../directory/fields/sum.fields.ts';
import type { Caller } from '../../operators/api/caller.ts';
import { pageAfter, pageOf, pageQuery, toPage } from '../../operators/api/list.ts';
import { operation } from '../../operators/api/operation.ts';
import { done } from '../../operators/api/outcome.ts';
import { givenTime, isoTime, timeField } from '../../operators/api/times.ts';
import type { Event } from './rules.ts';
import type { EventFilter } from './store.ts';

/** /events: the audit log (docs/events.md). */

const eventView = z.object({
  id: z.string(),
  time: timeField,
  type: z.string(),
  outcome: z.enum(['success', 'failure', 'denied']),
  actor: z.object({ kind: z.enum(['user', 'client', 'operator', 'api_key', 'system']), id: z.string().optional() }),
  subject: z.string().optional(),
  application: z.string().optional(),
  client: z.string().optional(),
  address: z.string().optional(),
  user_agent: z.string().optional(),
  request_id: z.string().optional(),
  details: z.record(z.string(), z.unknown()).optional(),
});
export type EventView = z.output<typeof eventView>;

const viewIn = ({ eventTypes }: Fields) => eventView.extend({ type: z.enum(eventTypes) });

const typesIn = ({ eventTypes }: Fields) =>
  z
    .string()
    .transform(text => text.split(','))
    .pipe(z.array(z.enum(eventTypes, 'must be a type of docs/events.md, or several separated by commas')))
    .meta({ description: 'One type, or several separated by commas.' });

const text = z.string().min(1, 'must not be empty').max(255, 'must have at most 255 characters');

const listQuery = (fields: Fields) =>
  z.strictObject({
    type: typesIn(fields).optional(),
    application: text.optional(),
    client: text.optional(),
    user: text.optional().meta({ description: 'The sub of the user to whom something was done.' }),
    operator: text.optional().meta({ description: 'The sub of the operator who acted.' }),
    request_id: text.optional(),
    from: givenTime.optional(),
    to: givenTime.optional().meta({ description: 'Events before this time.' }),
    ...pageQuery,
  });

export const listEvents = operation({
  summary: 'List events of the audit log, newest first.',
  role: 'auditor',
  reach: 'filtered',
  query: listQuery,
  result: fields => pageOf(viewIn(fields)),
  async run({ services, caller }, { query }) {
    const found = await services.store.listEvents(filterOf(caller, query), pageAfter(query));
    return done(toPage(found, query, ({ id }) => id, viewOf));
  },
});

/** A caller that is limited to applications sees the events of these alone, and none of the whole deployment. */
function filterOf({ applications }: Caller, query: z.output<ReturnType<typeof listQuery>>): EventFilter {
  const { application, client, request_id, type, user, operator, from, to } = query;
  const wanted = application === undefined ? applications : [application];
  const apps = wanted?.filter(app => applications === undefined || applications.includes(app));
  return { types: type, apps, clientId: client, user, operator, requestId: request_id, from, to };
}

function viewOf(event: Event): EventView {
  const { id, time, type, outcome, actor, subject, app, clientId, address, userAgent, requestId, details } = event;
  return {
    ...{ id, time: isoTime(time), type, outcome, actor, subject, application: app, client: clientId, address },
    ...{ user_agent: userAgent, request_id: requestId, details },
  };
}

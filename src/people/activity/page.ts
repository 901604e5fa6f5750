import type { Event } from '../../audit/events/rules.ts';
import type { Request } from '../../platform/http/message.ts';
import type { Handler, Services } from '../../services.ts';
import { presentSession } from '../account/frame.ts';
import { localeOf } from '../second-factor/page.ts';
import { type ActivityRow, activityPage } from './html.ts';
import { toldEvent, toldTypes } from './told-event.ts';

/** /account/activity: the events of the user, as far as they are kept. */
const PATH = '/account/activity';

const SHOWN_DAYS = 90;
const ROWS_PER_PAGE = 25;

export const showActivity: Handler = async (services, request) => {
  const session = await presentSession(services, request, PATH);
  if ('status' in session) return session;
  const { store, clock, config } = services;
  const days = Math.min(SHOWN_DAYS, config.eventsRetentionDays);
  const filter = { user: session.user.sub, types: toldTypes, from: clock.now() - days * 86_400 };
  const after = request.queryParams.get('before');
  const found = await store.listEvents(filter, { after, limit: ROWS_PER_PAGE + 1 });
  const events = found.slice(0, ROWS_PER_PAGE);
  return activityPage({
    locale: localeOf(request),
    days,
    rows: await Promise.all(events.map(event => rowOf(services, request, event))),
    next: found.length > ROWS_PER_PAGE ? events.at(-1)?.id : undefined,
  });
};

async function rowOf({ registry }: Services, request: Request, event: Event): Promise<ActivityRow> {
  const { app, clientId, actor } = event;
  const application = app === undefined ? undefined : await registry.application(app);
  const client = app && clientId ? await registry.client(app, clientId) : undefined;
  const isByUser = actor.kind === 'user';
  return {
    text: toldEvent(localeOf(request), event),
    time: event.time,
    place: [client?.client_name ?? clientId, application?.name ?? app].filter(Boolean).join(' · ') || undefined,
    isByOperator: !isByUser && actor.kind !== 'client',
    address: isByUser ? event.address : undefined,
    userAgent: isByUser ? event.userAgent : undefined,
  };
}

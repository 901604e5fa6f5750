import { failure } from '../../failures.ts';
import type { Answer, Refusal, Request } from '../../platform/http/message.ts';
import { refuseForeignForm } from '../../platform/ui/own-form.ts';
import type { Handler, Services } from '../../services.ts';
import { presentSession, toPlace } from '../account/frame.ts';
import { localeOf, proveAgain } from '../second-factor/page.ts';
import { sessionsPage } from './html.ts';
import { sessionEndedEvent } from './session-ended.ts';
import { currentSession, lastSeen } from './sessions.ts';
import type { LiveSession } from './store.ts';

/** /account/sessions: the browsers in which the user is signed in; the user can end each session, or all others. */
const PATH = '/account/sessions';

const MAX_LISTED = 100;

export const showSessions: Handler = async (services, request) => {
  const session = await presentSession(services, request, PATH);
  if ('status' in session) return session;
  const all = await services.store.sessionsOf(session.user.sub, services.clock.now());
  const listed = [
    ...all.filter(({ sid }) => sid === session.sid),
    ...all.filter(({ sid }) => sid !== session.sid).slice(0, MAX_LISTED),
  ];
  return sessionsPage({
    locale: localeOf(request),
    presentSid: session.sid,
    sessions: listed.map(each => ({ ...each, firstSeen: each.startedAt, lastSeen: lastSeen(each) })),
    more: all.length - listed.length,
  });
};

export const submitSessions: Handler = async (services, request) => {
  const session = await senderOf(services, request);
  return 'failure' in session ? session : endSessions(services, request, session);
};

/** The user who sent a form of this server's pages. */
export async function senderOf(services: Services, request: Request): Promise<LiveSession | Refusal> {
  const foreign = refuseForeignForm(services.config.baseUrl, request);
  if (foreign) return foreign;
  const session = await currentSession(services, request);
  return session ?? { failure: failure('signInNeeded'), facts: { form: { kind: 'sessionEnded' } } };
}

/**
 * A form that names a session of another user changes nothing. Ending other sessions needs a fresh proof (OWASP ASVS 5.0, 7.5.2): whoever
 * has stolen this one must not sign the owner out. The own session ends without, as at /logout.
 */
async function endSessions(services: Services, request: Request, session: LiveSession): Promise<Answer> {
  const { store, clock } = services;
  const { sub } = session.user;
  const form = request.form;
  const sid = form.get('end_session');
  const isElsewhere = sid !== undefined && sid !== session.sid;
  const endsOthers = form.get('action') === 'end_others';
  if (endsOthers || isElsewhere) {
    const proved = proveAgain(services, request, session, PATH);
    if ('status' in proved) return proved;
  }
  const event = sessionEndedEvent(services, request, { reason: 'user' });
  if (isElsewhere) await store.endSessionElsewhere(sub, sid, clock.now(), event);
  else if (sid !== undefined) await store.endSession({ sub, sid }, clock.now(), event);
  if (endsOthers) await store.endOtherSessions(sub, session.sid, clock.now(), event);
  return toPlace(services, PATH);
}

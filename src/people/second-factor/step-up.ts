import { requestEvent, userActor } from '../../audit/events/request-event.ts';
import type { Request } from '../../platform/http/message.ts';
import type { Services } from '../../services.ts';
import { sessionEndedEvent } from '../sessions/session-ended.ts';
import { openSession } from '../sessions/sessions.ts';
import type { LiveSession } from '../sessions/store.ts';
import { amrOf } from '../sign-in/acr.rules.ts';

/**
 * Whoever sets up a factor has just used it: the session is stepped up, and has a new identifier. Otherwise the next page would ask
 * for the factor at once. Returns the cookies.
 */
export async function stepUp(
  services: Services,
  request: Request,
  session: LiveSession,
  methods: readonly string[],
): Promise<string[]> {
  const { sub } = session.user;
  const amr = amrOf([...session.amr, ...methods]);
  const login = { sub, passwordHash: undefined, authTime: services.clock.now(), amr, stepsUp: true };
  const who = { outcome: 'success', actor: userActor(sub), subject: sub } as const;
  const opened = await openSession(services, request, login, services.random.bytes(16).toString('base64url'), {
    succeeded: sid => requestEvent(services, request, { type: 'user.login.succeeded', ...who, details: { sid, amr } }),
    replaced: sessionEndedEvent(services, request, { reason: 'replaced' }),
    outnumbered: sessionEndedEvent(services, request, { reason: 'limit' }),
  });
  return opened.kind === 'opened' ? opened.cookies : [];
}

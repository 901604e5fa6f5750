import { requestEvent, userActor } from '../../audit/events/request-event.ts';
import { openSession } from '../../people/sessions/sessions.ts';
import type { EndedSession } from '../../people/sessions/store.ts';
import { amrOf } from '../../people/sign-in/acr.rules.ts';
import type { Request } from '../../platform/http/message.ts';
import type { Services } from '../../services.ts';

/**
 * The session of the owner who has just been made, with the password that was just chosen: to ask for it again would prove nothing. A
 * second factor that the console demands is asked for as after every password. Returns the cookies; none where the user changed meanwhile.
 */
export async function openFirstSession(services: Services, request: Request, username: string): Promise<string[]> {
  const account = await services.store.findAccount(username);
  if (!account?.passwordHash) return [];
  const { sub, passwordHash } = account;
  const amr = amrOf(['pwd']);
  const login = { sub, passwordHash, authTime: services.clock.now(), amr, stepsUp: false };
  const who = { outcome: 'success', actor: userActor(sub) } as const;
  const ended =
    (reason: 'replaced' | 'limit') =>
    ({ sub: subject, sid }: EndedSession) =>
      requestEvent(services, request, { ...who, type: 'session.ended', subject, details: { sid, reason } });
  const openedBy = `first owner ${services.random.bytes(16).toString('base64url')}`;
  const session = await openSession(services, request, login, openedBy, {
    succeeded: sid =>
      requestEvent(services, request, { ...who, type: 'user.login.succeeded', subject: sub, details: { sid, amr } }),
    replaced: ended('replaced'),
    outnumbered: ended('limit'),
  });
  return session.kind === 'opened' ? session.cookies : [];
}

import { type EventFields, requestEvent, userActor } from '../../audit/events/request-event.ts';
import type { Event } from '../../audit/events/rules.ts';
import type { Request } from '../../platform/http/message.ts';
import type { Deps } from '../../services.ts';
import type { EndedSession } from './store.ts';

/**
 * `user`: ended on the account page, from any browser. `logout`: the user signed out in the browser of the session. `replaced`: another
 * one was opened in its browser. `limit`: the user has too many newer ones. `provider`: it was ended at the identity provider that it came from.
 */
type Cause = Pick<EventFields, 'app' | 'clientId'> & {
  readonly reason: 'user' | 'logout' | 'replaced' | 'limit' | 'provider';
};

/** The event of a session that its own user ended. */
export function sessionEndedEvent(
  deps: Pick<Deps, 'clock' | 'random'>,
  request: Request,
  { reason, ...client }: Cause,
): (ended: EndedSession) => Event {
  return ({ sub, sid }) => {
    const who = { outcome: 'success', actor: userActor(sub), subject: sub } as const;
    return requestEvent(deps, request, { type: 'session.ended', ...who, ...client, details: { sid, reason } });
  };
}

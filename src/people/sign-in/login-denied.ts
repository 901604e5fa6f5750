import type { Recorder } from '../../audit/events/recorder.ts';
import { type EventFields, userActor, withOrigin } from '../../audit/events/request-event.ts';
import type { Request } from '../../platform/http/message.ts';

/** Records that a user signed in rightly, and that the application does not admit this user. */
export function noteLoginDenied(
  { recorder }: { readonly recorder: Pick<Recorder, 'record'> },
  request: Pick<Request, 'id' | 'address' | 'headers'>,
  sub: string,
  place: Pick<EventFields, 'app' | 'clientId'>,
): void {
  const event: EventFields = {
    type: 'user.login.denied',
    outcome: 'denied',
    actor: userActor(sub),
    subject: sub,
    ...place,
    details: { reason: 'access' },
  };
  recorder.record(withOrigin(request, event));
}

import type { Recorder } from '../../audit/events/recorder.ts';
import { type EventFields, withOrigin } from '../../audit/events/request-event.ts';
import type { StatisticsRecorder } from '../../audit/statistics/statistics.ts';
import type { Request } from '../../platform/http/message.ts';

interface FailedLogin {
  readonly kind: 'wrong' | 'cloned' | 'throttled' | 'busy';
  readonly sub: string | undefined;
  /** It was answered as wrong, because the account had no attempts left. */
  readonly isExhausted?: boolean | undefined;
  /** The factor that was wrong; undefined: the password. */
  readonly factor?: string | undefined;
}

interface Recorders {
  readonly recorder: Pick<Recorder, 'record'>;
  readonly statistics: Pick<StatisticsRecorder, 'loginFailed'>;
}

/**
 * Records and counts a login that failed; nothing if the server was too busy to compare the password. The event does not have the
 * login name that was typed, because people type passwords into that field.
 */
export function noteLoginFailed(
  { recorder, statistics }: Recorders,
  request: Pick<Request, 'id' | 'address' | 'headers'>,
  failed: FailedLogin,
  place: Pick<EventFields, 'app' | 'clientId'>,
): void {
  const { sub, factor } = failed;
  const reason = reasonOf(failed);
  if (reason === 'busy') return;
  const event: EventFields = {
    type: 'user.login.failed',
    outcome: reason === 'throttled' || reason === 'exhausted' ? 'denied' : 'failure',
    actor: { kind: 'user', id: sub },
    subject: sub,
    ...place,
    details: factor === undefined ? { reason } : { reason, factor },
  };
  recorder.record(withOrigin(request, event));
  statistics.loginFailed(place.app);
}

/** For log and events, never for an answer. */
export function reasonOf({ kind, isExhausted }: Pick<FailedLogin, 'kind' | 'isExhausted'>): string {
  return isExhausted ? 'exhausted' : kind;
}

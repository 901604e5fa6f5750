import type { EventFields } from './request-event.ts';

/**
 * Undefined if the server was too busy to compare the password. The event does not have the login name that was typed, because people
 * type passwords into that field.
 */
export function loginFailedEvent(
  { kind, sub }: { readonly kind: 'wrong' | 'throttled' | 'busy'; readonly sub: string | undefined },
  place: Pick<EventFields, 'app' | 'clientId'>,
): EventFields | undefined {
  if (kind === 'busy') return undefined;
  const outcome = kind === 'wrong' ? 'failure' : 'denied';
  return {
    type: 'user.login.failed',
    outcome,
    actor: { kind: 'user', id: sub },
    subject: sub,
    ...place,
    details: { reason: kind },
  };
}

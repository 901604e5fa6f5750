import { newEvent } from '../../audit/events/new-event.ts';
import { SYSTEM } from '../../audit/events/request-event.ts';
import type { Event } from '../../audit/events/rules.ts';

/** A self-registered client was deleted because nobody uses it: after its time, or to make room for another one. */
export function unusedClientEvent(deps: Parameters<typeof newEvent>[0], app: string, clientId: string): Event {
  return newEvent(deps, {
    ...{ type: 'client.deleted', outcome: 'success', actor: SYSTEM, app, clientId, subject: clientId },
    details: { reason: 'unused' },
  });
}

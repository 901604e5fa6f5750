import type { Event } from '../protocol/event.ts';
import { newEvent } from './new-event.ts';
import { SYSTEM } from './request-event.ts';

/** A self-registered client was deleted because nobody uses it: after its time, or to make room for another one. */
export function unusedClientEvent(deps: Parameters<typeof newEvent>[0], app: string, clientId: string): Event {
  return newEvent(deps, {
    ...{ type: 'client.deleted', outcome: 'success', actor: SYSTEM, app, clientId, subject: clientId },
    details: { reason: 'unused' },
  });
}

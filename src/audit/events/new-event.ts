import type { Deps } from '../../services.ts';
import { orderedId } from './ordered-id.ts';
import type { Event } from './rules.ts';

/**
 * Gives an event of the audit log its id and time. Its states:
 *
 *   written   in the transaction of the act that it reports; without a transaction, by recorder.ts
 *   sealed    part of the hash chain (chain.ts), about a second later (maintain.ts); from then on webhooks send it
 *   pruned    deleted after GATEHOUSE_EVENTS_RETENTION_DAYS (maintain.ts)
 *
 * verify.ts checks the chain. refusals/ and explain/ are about refused requests, which are no events.
 */
export function newEvent(deps: Pick<Deps, 'clock' | 'random'>, event: Omit<Event, 'id' | 'time'>): Event {
  return { ...event, id: orderedId(deps, 'evt'), time: deps.clock.now() };
}

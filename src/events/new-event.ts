import type { Deps } from '../deps.ts';
import type { Event } from '../protocol/event.ts';
import { orderedId } from './ordered-id.ts';

/** Gives an event its id and time. Ids sort by time, and those of one process in the order of their making. */
export function newEvent(deps: Pick<Deps, 'clock' | 'random'>, event: Omit<Event, 'id' | 'time'>): Event {
  return { ...event, id: orderedId(deps, 'evt'), time: deps.clock.now() };
}

import assert from 'node:assert/strict';
import type { Event } from '../../src/audit/events/rules.ts';
import type { EventFilter } from '../../src/audit/events/store.ts';
import type { EventType } from '../../src/events.ts';
import type { TestServer } from './test-server.ts';

/** The events of a server, oldest first. Those of the recorder are written before. */
export async function eventsOf({ services }: TestServer, filter: EventFilter = {}): Promise<Event[]> {
  await services.recorder.drain();
  return (await services.store.listEvents(filter, { after: undefined, limit: 1000 })).reverse();
}

/** The events of a type that `act` causes. */
export async function eventsDuring(server: TestServer, type: EventType, act: () => Promise<unknown>): Promise<Event[]> {
  const before = new Set((await eventsOf(server, { types: [type] })).map(({ id }) => id));
  await act();
  return (await eventsOf(server, { types: [type] })).filter(({ id }) => !before.has(id));
}

/** The only event of a type that `act` causes. */
export async function eventDuring(server: TestServer, type: EventType, act: () => Promise<unknown>): Promise<Event> {
  const [event, ...others] = await eventsDuring(server, type, act);
  assert(event, `no ${type}`);
  assert.deepEqual(others, []);
  return event;
}

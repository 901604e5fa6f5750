import { type Request, userAgentOf } from '../../platform/http/message.ts';
import type { Deps } from '../../services.ts';
import { newEvent } from './new-event.ts';
import type { Actor, Event } from './rules.ts';

/** What an event says beside its id, its time and where the request came from. */
export type EventFields = Omit<Event, 'id' | 'time' | 'address' | 'userAgent' | 'requestId'>;

/** The event of an act that a request asked for. */
export function requestEvent(
  deps: Pick<Deps, 'clock' | 'random'>,
  request: Pick<Request, 'id' | 'address' | 'headers'>,
  fields: EventFields,
): Event {
  return newEvent(deps, withOrigin(request, fields));
}

export function withOrigin(
  request: Pick<Request, 'id' | 'address' | 'headers'>,
  fields: EventFields,
): Omit<Event, 'id' | 'time'> {
  return { ...fields, address: request.address, userAgent: userAgentOf(request), requestId: request.id };
}

export function userActor(sub: string): Actor {
  return { kind: 'user', id: sub };
}

export function clientActor(clientId: string): Actor {
  return { kind: 'client', id: clientId };
}

/** The command line, and jobs of the server. */
export const SYSTEM: Actor = { kind: 'system' };

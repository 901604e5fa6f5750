import type { Deps } from '../deps.ts';
import { newEvent } from '../events/new-event.ts';
import type { Actor, Event, EventType } from '../protocol/event.ts';
import type { Action, Difference, ObjectName } from './difference.ts';

/**
 * The events of an apply, written in its transaction: one for each object that it changes, with the names of the fields and no
 * values, and one for the whole.
 */
export function eventsOf(
  deps: Pick<Deps, 'clock' | 'random'>,
  differences: readonly Difference[],
  actor: Actor = { kind: 'system' },
): Event[] {
  if (differences.length === 0) return [];
  const event = (type: EventType, rest: Partial<Event>) => newEvent(deps, { type, outcome: 'success', actor, ...rest });
  const ofObjects = differences.flatMap(difference => {
    const details =
      difference.fields.length === 0 ? undefined : { fields: difference.fields.map(({ field }) => field) };
    const [main, ...others] = typesOf(difference);
    const named = namesOf(difference.object);
    return [event(main, { ...named, details }), ...others.map(type => event(type, named))];
  });
  return [...ofObjects, event('configuration.applied', { details: countsOf(differences) })];
}

function namesOf(object: ObjectName): Partial<Event> {
  switch (object.type) {
    case 'application':
      return { app: object.application, subject: object.application };
    case 'client':
      return { app: object.application, clientId: object.client_id, subject: object.client_id };
    case 'user':
      return { subject: object.sub };
  }
}

const TYPES = {
  application: {
    create: 'application.created',
    update: 'application.updated',
    restore: 'application.restored',
    delete: 'application.deleted',
  },
  client: { create: 'client.created', update: 'client.updated', restore: 'client.updated', delete: 'client.deleted' },
  user: { create: 'user.created', update: 'user.updated', restore: 'user.updated', delete: 'user.deleted' },
} as const satisfies Record<ObjectName['type'], Record<Action, EventType>>;

/** What a change of one field means beside the change of its object. */
function typesOf({ action, object, fields }: Difference): [EventType, ...EventType[]] {
  const types: [EventType, ...EventType[]] = [TYPES[object.type][action]];
  for (const { field, after } of fields) {
    if (field === 'client_secret') types.push(after === undefined ? 'client.secret.deleted' : 'client.secret.created');
    if (field === 'password') types.push('user.password.changed');
    if (field === 'disabled' && object.type === 'user') types.push(after ? 'user.disabled' : 'user.enabled');
  }
  return types;
}

function countsOf(differences: readonly Difference[]): Record<string, number> {
  const count = (action: Action) => differences.filter(difference => difference.action === action).length;
  return { created: count('create'), updated: count('update'), restored: count('restore'), deleted: count('delete') };
}

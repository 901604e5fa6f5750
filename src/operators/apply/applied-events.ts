import { newEvent } from '../../audit/events/new-event.ts';
import type { Event } from '../../audit/events/rules.ts';
import type { EventType } from '../../events.ts';
import type { Deps } from '../../services.ts';
import type { Action, Difference, FieldChange, ObjectName, OwnObject } from './difference.ts';

/**
 * The events of an apply, written in its transaction: one for the whole, and one for each object that it changes, with the names of
 * the fields and no values: some are secrets, others personal.
 */
export function eventsOf(
  deps: Pick<Deps, 'clock' | 'random'>,
  differences: readonly Difference[],
  by: AppliedBy = { actor: { kind: 'system' } },
): Event[] {
  const own = differences.flatMap(({ object, ...rest }) => (isOwn(object) ? [{ ...rest, object }] : []));
  if (own.length === 0) return [];
  const event = (type: EventType, rest: Partial<Event>) => newEvent(deps, { type, outcome: 'success', ...by, ...rest });
  return [
    event('configuration.applied', { details: countsOf(own) }),
    ...own.flatMap(difference => actsOf(difference).map(({ type, ...rest }) => event(type, rest))),
  ];
}

/** Who applies, and by which request. */
export type AppliedBy = Pick<Event, 'actor'> & Partial<Pick<Event, 'requestId' | 'address' | 'userAgent'>>;

/** An API goes with the change of its application, whose event names the field. */
const isOwn = (object: ObjectName): object is OwnObject => object.type !== 'api' && object.type !== 'token_exchange';

type OwnDifference = Difference & { readonly object: OwnObject };

type PlannedAct = Pick<Event, 'type' | 'subject' | 'app' | 'clientId' | 'details'>;

/** Secrets, passwords and `disabled` have events of their own. */
function actsOf({ action, object, fields }: OwnDifference): PlannedAct[] {
  const names = namesOf(object);
  const ofFields = fields.flatMap(change => typeOfField(object, change) ?? []);
  const rest = fields.filter(change => typeOfField(object, change) === undefined).map(({ field }) => field);
  const details = rest.length === 0 ? {} : { details: { fields: rest } };
  const own =
    action === 'update' && rest.length === 0 ? [] : [{ type: TYPES[object.type][action], ...names, ...details }];
  return [...own, ...ofFields.map(type => ({ type, ...names }))];
}

function namesOf(object: OwnObject): Pick<Event, 'subject' | 'app' | 'clientId' | 'details'> {
  switch (object.type) {
    case 'application':
      return { app: object.application, subject: object.application };
    case 'client':
      return { app: object.application, clientId: object.client_id, subject: object.client_id };
    case 'provider':
      return { subject: object.id };
    case 'user':
      return { subject: object.sub };
    case 'link':
      return { subject: object.sub, details: { provider: object.provider } };
    case 'user_attribute':
      return { subject: object.name };
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
  provider: {
    create: 'provider.created',
    update: 'provider.updated',
    restore: 'provider.updated',
    delete: 'provider.deleted',
  },
  link: { create: 'user.linked', update: 'user.linked', restore: 'user.linked', delete: 'user.unlinked' },
  user: { create: 'user.created', update: 'user.updated', restore: 'user.updated', delete: 'user.deleted' },
  user_attribute: {
    create: 'user_attribute.created',
    update: 'user_attribute.updated',
    restore: 'user_attribute.created',
    delete: 'user_attribute.deleted',
  },
} as const satisfies Record<OwnObject['type'], Record<Action, EventType>>;

function typeOfField({ type }: OwnObject, { field, after }: FieldChange): EventType | undefined {
  if (type === 'provider') return undefined;
  if (field === 'client_secret') return after === undefined ? 'client.secret.deleted' : 'client.secret.created';
  if (type === 'user' && field === 'links') return 'user.linked';
  if (field === 'password') return 'user.password.changed';
  if (type === 'user' && field === 'disabled') return after === true ? 'user.disabled' : 'user.enabled';
  return undefined;
}

function countsOf(differences: readonly Difference[]): Record<string, number> {
  const count = (action: Action) => differences.filter(difference => difference.action === action).length;
  return {
    changes: differences.length,
    created: count('create'),
    updated: count('update'),
    restored: count('restore'),
    deleted: count('delete'),
  };
}

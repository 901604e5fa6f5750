import assert from 'node:assert/strict';
import type { Act, Change } from '../../../src/audit/acts/store.ts';
import type { Event } from '../../../src/audit/events/rules.ts';
import type { Account, UserAct, UserFacts, UserWrite } from '../../../src/directory/users/store.ts';
import type { EventType } from '../../../src/events.ts';
import type { Store } from '../../../src/store.ts';
import { account, NOW, unique } from './given.ts';

export const anAct = (type: EventType, subject: string): Act => ({
  event: {
    id: unique('evt'),
    time: NOW,
    type,
    outcome: 'success',
    actor: { kind: 'operator', id: 'op' },
    subject,
  },
});

export function createUser(store: Store, user: Account, act: Act = anAct('user.created', user.sub)) {
  return store.changeUser(user.sub, ({ current }) =>
    current
      ? { result: 'subTaken' as const }
      : { result: 'created' as const, write: { value: { kind: 'create', account: user }, act } },
  );
}

export async function assertRecorded(store: Store, { event }: Act): Promise<void> {
  assert(await isRecorded(store, event), `${event.type} was not recorded`);
}

export async function assertNotRecorded(store: Store, { event }: Act): Promise<void> {
  assert(!(await isRecorded(store, event)), `${event.type} was recorded`);
}

async function isRecorded(store: Store, { id, type }: Event): Promise<boolean> {
  const events = await store.listEvents({ types: [type] }, { after: undefined, limit: 1000 });
  return events.some(event => event.id === id);
}

export async function aCreatedUser(store: Store, over: Partial<Account> = {}): Promise<Account> {
  const user = account(over);
  assert.equal(await createUser(store, user), 'created');
  return user;
}

export type Decided = Change<UserAct, string>;

/** Decides to write this, when the user exists. */
export const change =
  (write: Omit<UserWrite, 'now'>, act = anAct('user.updated', 'u')) =>
  ({ current }: UserFacts): Decided =>
    current
      ? { result: 'changed', write: { value: { kind: 'change', now: NOW, ...write }, act } }
      : { result: 'unknown' };

/** Decides to delete the user, when it exists. */
export const remove =
  (act = anAct('user.deleted', 'u')) =>
  ({ current }: UserFacts): Decided =>
    current ? { result: 'deleted', write: { value: { kind: 'delete', now: NOW }, act } } : { result: 'unknown' };

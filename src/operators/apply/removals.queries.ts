import { removeClient } from '../../directory/applications/queries.ts';
import { removeProvider } from '../../directory/providers/queries.ts';
import { deleteUser } from '../../directory/users/delete.queries.ts';
import { removeLink } from '../../people/linking/records.queries.ts';
import { among, sql } from '../../platform/store/sql.ts';
import { type OwnSteps, rowsOfEach, runAll, type Steps } from '../../platform/store/steps.ts';
import type { Provision, Removal } from './store.ts';

const REMOVALS: readonly string[] = [
  'deleteApplication',
  'deleteClient',
  'deleteProvider',
  'deleteLink',
  'deleteUser',
] satisfies Removal['kind'][];

export function isRemoval(change: Provision): change is Removal {
  return REMOVALS.includes(change.kind);
}

/**
 * Deletes applications, clients, providers, links and users. The transaction has locked the registry and no row yet. Returns the users that
 * `eraseUsers` has to be called for, undefined if no user was deleted.
 */
export function* remove(own: OwnSteps, removals: readonly Removal[]): Steps<readonly string[] | undefined> {
  const users = removals.filter(removal => removal.kind === 'deleteUser');
  const clients = removals.filter(removal => removal.kind === 'deleteClient');
  // All advisory locks come before the first row lock: a login holds its own and then waits for rows.
  for (const { app, clientId } of inLockOrder(clients)) yield* own.lockClient(app, clientId);
  if (users.length > 0) yield* own.lockUsers(users.map(({ sub }) => sub));
  for (const removal of removals) {
    if (removal.kind === 'deleteApplication') yield* deleteApplication(removal.app, removal.now);
    if (removal.kind === 'deleteProvider') yield* runAll(removeProvider(removal.id));
    if (removal.kind === 'deleteLink') yield [removeLink(removal.sub, removal.link)];
  }
  for (const { app, clientId, now } of clients) yield* removeClient(own, app, clientId, now);
  const operators = yield* operatorsAmong(users.map(({ sub }) => sub));
  const deletable = users.filter(({ sub }) => !operators.has(sub));
  const heldTokens: string[] = [];
  for (const { sub, now } of deletable) if (yield* deleteUser(own, sub, now)) heldTokens.push(sub);
  return deletable.length === 0 ? undefined : heldTokens;
}

/** The same order in every transaction, so that no two deadlock. */
function inLockOrder<C extends { readonly app: string; readonly clientId: string }>(clients: readonly C[]): C[] {
  const name = ({ app, clientId }: C) => `${app} ${clientId}`;
  return [...clients].sort((one, other) => (name(one) < name(other) ? -1 : 1));
}

function* deleteApplication(app: string, now: number): Steps<void> {
  yield [sql`UPDATE applications SET deleted_at = ${now} WHERE code = ${app} AND deleted_at IS NULL`];
}

/** A user may have become an operator since the removal was planned. Roles change only while the registry is locked. */
function* operatorsAmong(subs: readonly string[]): Steps<ReadonlySet<string>> {
  const rows = yield* rowsOfEach(subs, some => sql`SELECT sub FROM operators WHERE sub ${among(some)}`);
  return new Set(rows.map(({ sub }) => sub as string));
}

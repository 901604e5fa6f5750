import { RolledBack } from '../../platform/store/faults.ts';
import { among, listed, type Query, sql } from '../../platform/store/sql.ts';
import { rowsOfEach, runAll, type Steps } from '../../platform/store/steps.ts';
import type { LoginTaken } from './store.ts';

/** The login names that a user has from now on. */
export interface LoginNames {
  readonly sub: string;
  readonly names: readonly string[];
}

/** Rolls back the transaction; `unlessTaken` turns it into an outcome. */
export class LoginNameTaken extends RolledBack {
  readonly loginName: string;
  constructor(loginName: string) {
    super('a login name belongs to another user');
    this.loginName = loginName;
  }
}

export async function unlessTaken<T>(transaction: Promise<T>): Promise<T | LoginTaken> {
  try {
    return await transaction;
  } catch (error) {
    if (error instanceof LoginNameTaken) return { kind: 'loginTaken', loginName: error.loginName };
    throw error;
  }
}

/**
 * A name is taken if two users of the change want it, or if its owner is not part of the change. Users of the change release
 * their old names, and so do the users `released`.
 */
export function* refuseTakenNames(users: readonly LoginNames[], released: readonly string[] = []): Steps<void> {
  const wanted = new Map<string, string>();
  for (const { sub, names } of users) {
    for (const name of names) {
      if ((wanted.get(name) ?? sub) !== sub) throw new LoginNameTaken(name);
      wanted.set(name, sub);
    }
  }
  const changing = new Set([...users.map(({ sub }) => sub), ...released]);
  const owners = yield* rowsOfEach(
    [...wanted.keys()],
    some => sql`SELECT login_name, sub FROM login_names WHERE login_name ${among(some)}`,
  );
  for (const { login_name, sub } of owners) {
    if (!changing.has(sub as string)) throw new LoginNameTaken(login_name as string);
  }
}

/** Runs before any name is written, so that two users can exchange e-mail addresses in one change. */
export function* removeLoginNames(users: readonly LoginNames[]): Steps<void> {
  yield* rowsOfEach(
    users.map(({ sub }) => sub),
    some => sql`DELETE FROM login_names WHERE sub ${among(some)}`,
  );
}

/** Another transaction may have taken a name after `refuseTakenNames` checked. */
export function* addLoginNames(users: readonly LoginNames[]): Steps<void> {
  const added = yield* runAll(users.map(insertNames));
  for (const [index, { names }] of users.entries()) {
    const written = new Set((added[index] ?? []).map(({ login_name }) => login_name));
    const missing = names.find(name => !written.has(name));
    if (missing !== undefined) throw new LoginNameTaken(missing);
  }
}

function insertNames({ sub, names }: LoginNames): Query {
  return sql`INSERT INTO login_names (login_name, sub) SELECT value, ${sub} FROM ${listed(names)} WHERE true
    ON CONFLICT (login_name) DO NOTHING RETURNING login_name`;
}

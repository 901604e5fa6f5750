import { RolledBack } from '../../platform/store/faults.ts';
import { sql } from '../../platform/store/sql.ts';
import { rowsOf, type Steps } from '../../platform/store/steps.ts';
import type { LastOwner } from './store.ts';

/** Rolls back the transaction; `unlessLastOwner` turns it into an outcome. */
class LastOwnerLost extends RolledBack {
  readonly username: string;
  constructor(username: string) {
    super('no owner would be left');
    this.username = username;
  }
}

export async function unlessLastOwner<T>(transaction: Promise<T>): Promise<T | LastOwner> {
  try {
    return await transaction;
  } catch (error) {
    if (error instanceof LastOwnerLost) return { kind: 'lastOwner', username: error.username };
    throw error;
  }
}

/**
 * Every step that disables or deletes users, or takes a role away, asks this first. The transaction has locked the registry: two
 * owners that remove each other would otherwise both succeed.
 */
export function* refuseLastOwner(losing: readonly string[]): Steps<void> {
  if (losing.length === 0) return;
  const owners = yield* ownerNames();
  const lost = new Set(losing);
  const [first] = owners.values();
  if (first !== undefined && [...owners.keys()].every(sub => lost.has(sub))) throw new LastOwnerLost(first);
}

/** The names of all owners by `sub`. A disabled owner does not count, nor does an owner of some applications. */
export function* ownerNames(): Steps<ReadonlyMap<string, string>> {
  const rows = yield* rowsOf(sql`SELECT operators.sub, username FROM operators JOIN users ON users.sub = operators.sub
    WHERE role = 'owner' AND applications IS NULL AND NOT disabled ORDER BY operators.sub`);
  return new Map(rows.map(({ sub, username }) => [sub as string, username as string]));
}

import { type Run, type Statement, statement, type Value } from './statement.ts';

/**
 * A transaction that issues something to a user or a client takes a shared lock; one that ends their access takes it exclusively.
 * So the statements of the second see everything that was issued before. Advisory locks cost no write, and the logins of a popular
 * client do not all lock the client's row.
 *
 * A transaction takes its advisory locks before it locks any row, in the order of their names, so that no two transactions
 * deadlock.
 */
export type Lock = string;
export const userLock = (sub: string): Lock => `user ${sub}`;
export const clientLock = (app: string, clientId: string): Lock => `client ${app} ${clientId}`;

/** The functions are called in the order of the array. */
const SHARE: Statement = statement(
  'SELECT pg_advisory_xact_lock_shared(hashtextextended(name, 0)) FROM unnest($1::text[]) AS name',
);
const ALONE: Statement = statement('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))');

/** The step that shares all of these locks; undefined where there is none to share. */
export function shareLocks(locks: readonly Lock[]): readonly [Statement, readonly Value[]] | undefined {
  return locks.length === 0 ? undefined : [SHARE, [inOrder(locks)]];
}

/** Runs at the beginning of a transaction. */
export async function takeLocks(run: Run, { alone = [], shared = [] }: Partial<Record<'alone' | 'shared', Lock[]>>) {
  const exclusive = new Set(alone);
  for (const lock of inOrder([...alone, ...shared])) {
    if (exclusive.has(lock)) await run(ALONE, [lock]);
    else await run(SHARE, [[lock]]);
  }
}

function inOrder(locks: readonly Lock[]): Lock[] {
  return [...new Set(locks)].sort();
}

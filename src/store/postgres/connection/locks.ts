import { type Run, type Statement, statement, type Value } from './statement.ts';

/**
 * Who ends what a user or a client has, and who gives them more at the same moment, must see each other: giving shares a
 * lock, ending has it alone, and what follows in the transaction sees everything that was given before. Advisory locks,
 * because they cost no write and a popular client's row is not locked by each of its logins.
 *
 * A transaction takes its advisory locks before it locks any row, all of them in the order of their names: so no two
 * transactions can wait for each other's.
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

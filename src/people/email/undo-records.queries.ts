import { loginName } from '../../directory/users/login-name.rules.ts';
import type { Row } from '../../platform/store/row.ts';
import { type Query, sql } from '../../platform/store/sql.ts';
import { rowsOf, type Steps } from '../../platform/store/steps.ts';
import type { NewEmailUndo } from './undo.store.ts';

/** The undo of a changed address as a row of email_undos. The transaction has locked the row of the user. */

export function isPending(now: number): Query {
  return sql`expires_at > ${now}`;
}

/**
 * A thief who was signed in may have asked for another address, and would get the link of the mail after everything else has ended. Before
 * `endUndos`, as a confirmed change takes both: otherwise two transactions could deadlock.
 */
export function endConfirmations(sub: string): Query {
  return sql`DELETE FROM email_confirmations WHERE sub = ${sub}`;
}

/** What ends everything that the user holds ends both too (`endUserAccess`). */
export function endUndos(sub: string): Query {
  return sql`DELETE FROM email_undos WHERE sub = ${sub}`;
}

export function insertUndo(
  undo: Pick<NewEmailUndo, 'id' | 'tokenHash' | 'expiresAt'>,
  former: {
    readonly sub: string;
    readonly email: string;
    readonly username: string | null;
    readonly changedAt: number;
  },
): Query {
  const { sub, email, username, changedAt } = former;
  return sql`INSERT INTO email_undos (id, token_hash, sub, email, username, changed_at, expires_at)
    VALUES (${undo.id}, ${undo.tokenHash}, ${sub}, ${email}, ${username}, ${changedAt}, ${undo.expiresAt})`;
}

/** Removes the one that can still be used, if there is one, so that it can be put back after a write that ends it. */
export function* takeUndo(sub: string, now: number): Steps<Row | undefined> {
  const [row] = yield* rowsOf(sql`DELETE FROM email_undos WHERE sub = ${sub} AND ${isPending(now)}
    RETURNING id, token_hash, email, username, changed_at, expires_at`);
  return row;
}

export function putBack(sub: string, row: Row): Query {
  const { id, token_hash, email, username, changed_at, expires_at } = row;
  return insertUndo(
    { id: id as string, tokenHash: token_hash as Uint8Array, expiresAt: Number(expires_at) },
    { sub, email: email as string, username: username as string | null, changedAt: Number(changed_at) },
  );
}

/** Whether both are the same address, however it is written. */
export function isSameAddress(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && loginName(one) === loginName(other);
}

/** The address is one that the user had before, for long enough. */
export function countAsHeld(sub: string): Query {
  return sql`UPDATE users SET email_since = NULL WHERE sub = ${sub}`;
}

import { type Query, sql } from '../../platform/store/sql.ts';

/** The password among the credentials of a user; its id is its kind, so that there is one at most. */

export function writePassword(sub: string, hash: string, now: number): Query {
  return sql`INSERT INTO credentials (sub, id, kind, data, created_at) VALUES (${sub}, 'password', 'password', ${hash}, ${now})
    ON CONFLICT (sub, id) DO UPDATE SET data = excluded.data, created_at = excluded.created_at, last_used_at = NULL`;
}

export function removePassword(sub: string): Query {
  return sql`DELETE FROM credentials WHERE sub = ${sub} AND id = 'password'`;
}

/** Ends the link by which the user could set a new password. The transaction has locked the row of the user. */
export function endPasswordReset(sub: string): Query {
  return sql`DELETE FROM password_resets WHERE sub = ${sub}`;
}

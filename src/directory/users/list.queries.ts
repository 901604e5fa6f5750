import type { Row } from '../../platform/store/row.ts';
import { BYTEWISE, type Query, sql } from '../../platform/store/sql.ts';
import { toUser } from './rows.store.ts';
import type { UserListing, UserPage } from './store.ts';

/**
 * The columns of `toUser`, from the table or alias u. Whether there is a password is a scalar subquery: PostgreSQL would make a join
 * with all credentials of an EXISTS.
 */
export const userColumns = sql`u.sub, u.username, u.nickname, u.picture, u.email, u.email_verified, u.phone_number, u.phone_number_verified,
  u.phone_claimed, u.updated_at, u.standard_claims, u.membership, u.disabled, u.require_mfa, u.require_password_change,
  EXISTS (SELECT 1 FROM claimed_emails m WHERE m.sub = u.sub) AS email_claimed,
  (SELECT count(*) FROM credentials c WHERE c.sub = u.sub AND c.id = 'password') AS passwords,
  (SELECT d.due_at FROM account_deletions d WHERE d.sub = u.sub) AS deletion_due`;

export function selectUser(sub: string): Query {
  return selectUsers(sql`u.sub = ${sub}`);
}

/** The condition is one on users, called u. */
export function selectUsers(condition: Query): Query {
  return sql`SELECT ${userColumns} FROM users u WHERE ${condition}`;
}

/** One row more than the page has, which tells whether there is a next one. */
export function selectPage({ after, limit }: UserPage): Query {
  return inOrderOfNames(after ?? '', limit + 1);
}

function inOrderOfNames(after: string, count: number): Query {
  return sql`SELECT ${userColumns}, u.username AS place FROM users u
    WHERE u.username ${BYTEWISE} > ${after} ORDER BY u.username ${BYTEWISE} LIMIT ${count}`;
}

/** No text that begins with the prefix comes after the prefix and this character, which is the last of Unicode and never assigned. */
const LAST_CHARACTER = '\u{10FFFF}';

/**
 * A user comes at the first of the names with the prefix. The count of earlier ones is a scalar subquery, for the same reason as
 * above; it finds the two or three names of a user by the index on sub.
 */
export function withPrefix(prefix: string, after: string | undefined, count: number): Query {
  const earlier = sql`SELECT count(*) FROM login_names m
    WHERE m.sub = n.sub AND m.login_name ${BYTEWISE} >= ${prefix} AND m.login_name ${BYTEWISE} < n.login_name`;
  // One lower bound, not both: SQLite would begin at the first and read all names up to the second.
  const from = after?.startsWith(prefix) ? sql`> ${after}` : sql`>= ${prefix}`;
  const found = sql`SELECT n.login_name, n.sub FROM login_names n
    WHERE n.login_name ${BYTEWISE} ${from} AND n.login_name ${BYTEWISE} <= ${prefix + LAST_CHARACTER} AND (${earlier}) = 0
    ORDER BY n.login_name ${BYTEWISE} LIMIT ${count}`;
  return sql`SELECT ${userColumns}, f.login_name AS place FROM (${found}) AS f JOIN users u ON u.sub = f.sub
    ORDER BY f.login_name ${BYTEWISE}`;
}

export function toListing(rows: readonly Row[], limit: number): UserListing {
  const page = rows.slice(0, limit);
  return {
    users: page.map(toUser),
    next: rows.length > limit ? (page.at(-1)?.place as string | undefined) : undefined,
  };
}

import { type Statement, statement } from './statement.ts';

/**
 * Who ends what a user or a client has, and who gives them more at the same moment, must see each other: giving shares a
 * lock, ending has it alone, and what follows in the transaction sees everything that was given before. Advisory locks,
 * because they cost no write and a popular client's row is not locked by each of its logins.
 */
export const userLock = (sub: string): string => `user ${sub}`;
export const clientLock = (app: string, clientId: string): string => `client ${app} ${clientId}`;

/** Values: the two locks that a grant needs, the user's and the client's. */
export const SHARE_TWO: Statement = statement(
  'SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 0)), pg_advisory_xact_lock_shared(hashtextextended($2, 0))',
);
export const SHARE: Statement = statement('SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 0))');
export const ALONE: Statement = statement('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))');

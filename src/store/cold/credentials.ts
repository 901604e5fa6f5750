import type { Credentials } from '../credentials.ts';
import { FOR_UPDATE, sql } from './sql.ts';
import { type ColdDatabase, rowsOf } from './steps.ts';
import { writeUser } from './users.ts';

export function coldCredentials(db: ColdDatabase): Omit<Credentials, 'passwordHashFrom'> {
  return {
    changePassword: (sub, hash, now, event, receivedAt) =>
      db.transaction(
        () => writeUser(db.own, { kind: 'user', sub, passwordHash: hash ?? null, now }, event),
        receivedAt,
      ),
    replacePasswordHash: (sub, from, to, receivedAt) =>
      db.transaction(function* () {
        // Locks the user first, as every change of a user does: otherwise two changes could deadlock.
        yield* rowsOf(sql`SELECT sub FROM users WHERE sub = ${sub} ${FOR_UPDATE}`);
        const replaced = yield* rowsOf(
          sql`UPDATE credentials SET data = ${to} WHERE sub = ${sub} AND id = 'password' AND data = ${from} RETURNING 1`,
        );
        return replaced.length === 1;
      }, receivedAt),
  };
}

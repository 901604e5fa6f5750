import { actOnce } from '../../audit/acts/queries.ts';
import { writeUser } from '../../directory/users/changes.queries.ts';
import { FOR_UPDATE, sql } from '../../platform/store/sql.ts';
import { type ColdDatabase, rowsOf, type Steps } from '../../platform/store/steps.ts';
import type { Credentials } from './store.ts';

export function coldCredentials(db: ColdDatabase): Omit<Credentials, 'passwordHashFrom'> {
  return {
    changePassword: (sub, hash, now, event) =>
      db.transaction(() => writeUser(db.own, { ...newPassword(sub, hash ?? null), now }, event)),
    replacePassword: async (sub, { from, to }, now, act) => {
      const done = await actOnce(db, {
        lock: () => lockPassword(db, sub),
        *work() {
          const written = yield* replacePassword(db, sub, { from, to }, now);
          return { result: written, act: written ? act : undefined };
        },
      });
      return done === true;
    },
    replacePasswordHash: (sub, from, to) =>
      db.transaction(function* () {
        // Locks the user first, as every change of a user does: otherwise two changes could deadlock.
        yield* rowsOf(sql`SELECT sub FROM users WHERE sub = ${sub} ${FOR_UPDATE}`);
        const replaced = yield* rowsOf(
          sql`UPDATE credentials SET data = ${to} WHERE sub = ${sub} AND id = 'password' AND data = ${from} RETURNING 1`,
        );
        return replaced.length === 1;
      }),
  };
}

export function* lockPassword({ own }: ColdDatabase, sub: string): Steps<void> {
  yield* own.lockUsers([sub]);
  yield* rowsOf(sql`SELECT sub FROM users WHERE sub = ${sub} ${FOR_UPDATE}`);
}

/** As `replacePassword` of the store, after `lockPassword`. */
export function* replacePassword(
  { own }: ColdDatabase,
  sub: string,
  { from, to }: { readonly from: string | undefined; readonly to: string },
  now: number,
): Steps<boolean> {
  const [present] = yield* rowsOf(sql`SELECT data FROM credentials WHERE sub = ${sub} AND id = 'password'`);
  return present?.data === from && (yield* writeUser(own, { ...newPassword(sub, to), now }));
}

/** The user chose it: no other is demanded any more. */
function newPassword(sub: string, passwordHash: string | null) {
  return { kind: 'user', sub, passwordHash, requirePasswordChange: false } as const;
}

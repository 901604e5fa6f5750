import { actOnce } from '../../audit/acts/queries.ts';
import { writeUser } from '../../directory/users/changes.queries.ts';
import { deleteUser } from '../../directory/users/delete.queries.ts';
import { unlessLastOwner } from '../../operators/roles/last-owner.queries.ts';
import { optional } from '../../platform/store/row.ts';
import { FOR_UPDATE, sql } from '../../platform/store/sql.ts';
import { type ColdDatabase, rowsOf, type Steps } from '../../platform/store/steps.ts';
import type { AccountDeletions } from './store.ts';

const NOTHING = { result: false, act: undefined } as const;

export function coldAccountDeletions(db: ColdDatabase): Omit<AccountDeletions, 'dueDeletions'> {
  return {
    scheduleDeletion: async (sub, dueAt, now, act) => {
      const work = function* () {
        const [user] = yield* rowsOf(sql`SELECT disabled FROM users WHERE sub = ${sub}`);
        if (!user || user.disabled) return NOTHING;
        yield* writeUser(db.own, { kind: 'user', sub, disabled: true, now });
        yield* rowsOf(sql`INSERT INTO account_deletions (sub, due_at) VALUES (${sub}, ${dueAt})`);
        return { result: true, act };
      };
      const outcome = await unlessLastOwner(actOnce(db, { lock: () => lock(db, sub), work }));
      return typeof outcome === 'object' && outcome.kind === 'alreadyAnswered' ? false : outcome;
    },
    keepAccount: async (sub, isCurrent, now, act) => {
      const work = function* () {
        const [row] = yield* rowsOf(sql`SELECT c.data FROM account_deletions d
          LEFT JOIN credentials c ON c.sub = d.sub AND c.id = 'password' WHERE d.sub = ${sub}`);
        if (!row || !isCurrent(optional(row.data))) return NOTHING;
        yield* writeUser(db.own, { kind: 'user', sub, disabled: false, now });
        return { result: true, act };
      };
      return (await actOnce(db, { lock: () => lock(db, sub), work })) === true;
    },
    deleteDueAccount: async (sub, now, act) => {
      let erase: readonly string[] | undefined;
      const work = function* () {
        erase = undefined;
        const due = sql`SELECT 1 FROM account_deletions WHERE sub = ${sub} AND due_at <= ${now}`;
        if ((yield* rowsOf(due)).length === 0) return NOTHING;
        erase = (yield* deleteUser(db.own, sub, now)) ? [sub] : [];
        return { result: true, act };
      };
      const deleted = await actOnce(db, { lock: () => lock(db, sub), work });
      if (erase) await db.eraseUsers(erase);
      return deleted === true;
    },
  };
}

/** The order of every change of a user. The registry: two owners who leave at the same moment would both be allowed to. */
function* lock({ own }: ColdDatabase, sub: string): Steps<void> {
  yield* own.lockRegistry();
  yield* own.lockUsers([sub]);
  yield* rowsOf(sql`SELECT sub FROM users WHERE sub = ${sub} ${FOR_UPDATE}`);
}

import { actOnce } from '../../audit/acts/queries.ts';
import { writeUsers } from '../../directory/users/changes.queries.ts';
import { unlessTaken } from '../../directory/users/login-names.queries.ts';
import { endOfUser } from '../../directory/users/queries.ts';
import { insertMail } from '../../notify/mail/queries.ts';
import { optional, type Row } from '../../platform/store/row.ts';
import { FOR_UPDATE, sql } from '../../platform/store/sql.ts';
import { type ColdDatabase, rowsOf, runAll, type Steps } from '../../platform/store/steps.ts';
import { writeLink } from '../password/resets.queries.ts';
import { removeIdleRecovery } from '../second-factor/queries.ts';
import type { EmailUndos, PendingEmailUndo } from './undo.store.ts';
import { countAsHeld, endUndos, isPending } from './undo-records.queries.ts';

const NOTHING = { result: false, act: undefined } as const;

export function coldEmailUndos(db: ColdDatabase): EmailUndos {
  return {
    findEmailUndo: async (tokenHash, now) => {
      const [row] = await db.read(
        sql`SELECT e.sub, e.email, coalesce(e.username, u.username) AS username FROM email_undos e JOIN users u ON u.sub = e.sub
          WHERE e.token_hash = ${tokenHash} AND ${isPending(now)}`,
      );
      return row && { sub: row.sub as string, username: row.username as string, email: row.email as string };
    },
    undoEmailChange: async (tokenHash, now, { event, reset }) => {
      const link = sql`token_hash = ${tokenHash} AND ${isPending(now)}`;
      const steps = {
        *lock() {
          const [row] = yield* rowsOf(sql`SELECT sub FROM email_undos WHERE ${link}`);
          if (!row) return undefined;
          const sub = row.sub as string;
          yield* db.own.lockUsers([sub]);
          const enabled = sql`SELECT sub FROM users WHERE sub = ${sub} AND disabled = ${false} ${FOR_UPDATE}`;
          return (yield* rowsOf(enabled)).length === 1 ? sub : undefined;
        },
        *work(sub: string | undefined) {
          if (sub === undefined) return NOTHING;
          const [undo] = yield* rowsOf(
            sql`DELETE FROM email_undos WHERE ${link} RETURNING email, username, changed_at`,
          );
          if (!undo) return NOTHING;
          yield* removeWaysInSince(sub, Number(undo.changed_at));
          const profile = { email: undo.email as string, emailVerified: true, username: optional(undo.username) };
          yield* writeUsers(db.own, [{ kind: 'user', sub, profile, passwordHash: null, now }]);
          yield* runAll([
            countAsHeld(sub),
            writeLink({ sub, ...reset, links: 1, isInvitation: false }),
            insertMail(reset.mail),
          ]);
          return { result: true, act: { event } };
        },
      };
      return (await unlessTaken(actOnce(db, steps))) === true;
    },
    emailUndosOf: async (sub, now) => {
      const pending = sql`SELECT id, email, changed_at, expires_at FROM email_undos
        WHERE sub = ${sub} AND ${isPending(now)} ORDER BY changed_at, id`;
      return (await db.read(pending)).map(toPending);
    },
    revokeEmailUndos: (sub, now, act) => {
      const revoke = function* () {
        const found = yield* rowsOf(sql`SELECT 1 FROM email_undos WHERE sub = ${sub} AND ${isPending(now)}`);
        yield* rowsOf(endUndos(sub));
        return found.length > 0;
      };
      return endOfUser(db, sub, act, revoke);
    },
  };
}

/**
 * A factor that is added ends the link, so there is seldom one: from a node whose clock is ahead. A provider that is connected does not, and
 * signs in whoever connected it, also in the second of the change. What an owner has stays: the mailbox alone must not be enough for the
 * account with the most rights.
 */
function* removeWaysInSince(sub: string, changedAt: number): Steps<void> {
  const owner = sql`SELECT 1 FROM operators WHERE sub = ${sub} AND role = 'owner'`;
  if ((yield* rowsOf(owner)).length > 0) return;
  yield* runAll([
    sql`DELETE FROM credentials WHERE sub = ${sub} AND id <> 'password' AND created_at > ${changedAt}`,
    removeIdleRecovery(sub),
    sql`DELETE FROM user_links WHERE sub = ${sub} AND created_at >= ${changedAt}`,
  ]);
}

function toPending(row: Row): PendingEmailUndo {
  return {
    id: row.id as string,
    email: row.email as string,
    changedAt: Number(row.changed_at),
    expiresAt: Number(row.expires_at),
  };
}

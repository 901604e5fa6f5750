import type { EmailConfirmations } from '../email-confirmations.ts';
import { optional } from '../rows.ts';
import { actOnce } from './acts.ts';
import { unlessTaken } from './login-names.ts';
import { insertMail } from './mails.ts';
import { writeLink } from './password-resets.ts';
import { removeIdleRecovery } from './second-factors.ts';
import { FOR_UPDATE, sql } from './sql.ts';
import { type ColdDatabase, rowsOf, runAll } from './steps.ts';
import { writeUsers } from './users.ts';

type EmailUndos = Pick<EmailConfirmations, 'findEmailUndo' | 'undoEmailChange'>;

export function coldEmailUndos(db: ColdDatabase): EmailUndos {
  return {
    findEmailUndo: async (tokenHash, now, receivedAt) => {
      const [row] = await db.read(
        sql`SELECT e.sub, e.email, coalesce(e.username, u.username) AS username FROM email_undos e JOIN users u ON u.sub = e.sub
          WHERE e.token_hash = ${tokenHash} AND e.expires_at > ${now}`,
        receivedAt,
      );
      return row && { sub: row.sub as string, username: row.username as string, email: row.email as string };
    },
    undoEmailChange: async (tokenHash, now, { event, reset, doubtfulSeconds }, receivedAt) => {
      const live = sql`token_hash = ${tokenHash} AND expires_at > ${now}`;
      const done = await unlessTaken(
        actOnce(
          db,
          {
            *lock() {
              const [row] = yield* rowsOf(sql`SELECT sub FROM email_undos WHERE ${live}`);
              if (!row) return undefined;
              const sub = row.sub as string;
              yield* db.own.lockUsers([sub]);
              const [user] = yield* rowsOf(
                sql`SELECT disabled, EXISTS (SELECT 1 FROM account_deletions d WHERE d.sub = u.sub) AS is_leaving
                  FROM users u WHERE sub = ${sub} ${FOR_UPDATE}`,
              );
              return user && { sub, isDisabled: Boolean(user.disabled), isLeaving: Boolean(user.is_leaving) };
            },
            *work(user) {
              const [undo] = yield* rowsOf(
                sql`DELETE FROM email_undos WHERE ${live} RETURNING email, username, changed_at`,
              );
              if (!user || !undo) return { result: false, act: undefined };
              const { sub } = user;
              const changedAt = Number(undo.changed_at);
              yield* runAll([
                // The links for later changes went to addresses that somebody else may have chosen.
                sql`DELETE FROM email_undos WHERE sub = ${sub} AND changed_at >= ${changedAt}`,
                sql`DELETE FROM email_confirmations WHERE sub = ${sub}`,
                sql`DELETE FROM credentials WHERE sub = ${sub} AND id <> 'password'
                  AND created_at >= ${changedAt - doubtfulSeconds}`,
                removeIdleRecovery(sub),
              ]);
              const profile = {
                email: undo.email as string,
                emailVerified: true,
                username: optional(undo.username),
              };
              // A user who is leaving could not have changed the address: whoever changed it has asked for the deletion.
              const disabled = user.isLeaving ? false : undefined;
              yield* writeUsers(db.own, [{ kind: 'user', sub, profile, passwordHash: null, disabled, now }]);
              if (!user.isDisabled || user.isLeaving) {
                yield* runAll([writeLink({ sub, ...reset, links: 1, isInvitation: false }), insertMail(reset.mail)]);
              }
              return { result: true, act: { event } };
            },
          },
          receivedAt,
        ),
      );
      return done === true;
    },
  };
}

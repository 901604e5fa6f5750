import type { PasswordResetStart, PasswordResets } from '../password-resets.ts';
import { actOnce } from './acts.ts';
import { recordEvent } from './events.ts';
import { insertMail } from './mails.ts';
import { FOR_UPDATE, type Query, sql } from './sql.ts';
import { type ColdDatabase, rowsOf, runAll, type Steps } from './steps.ts';
import { writeUser } from './users.ts';

export function coldPasswordResets(db: ColdDatabase): PasswordResets {
  return {
    startPasswordReset: (start, now) =>
      db.transaction(function* () {
        const { sub, tokenHash, expiresAt, mail, event, requestedBy, context } = start;
        const links = yield* linksBefore(start, now);
        const removed = sql`DELETE FROM mails WHERE id = ${requestedBy}`;
        if (links === undefined) {
          yield* rowsOf(removed);
          return false;
        }
        yield* runAll([
          insertPasswordReset(sub, { tokenHash, links: links + 1, expiresAt, context }),
          insertMail(mail),
          removed,
          recordEvent(event),
        ]);
        return true;
      }),
    findPasswordReset: async (tokenHash, now, receivedAt) => {
      const [row] = await db.read(
        sql`SELECT u.sub, u.username, u.email, r.context FROM password_resets r JOIN users u ON u.sub = r.sub
          WHERE r.token_hash = ${tokenHash} AND r.expires_at > ${now} AND u.email IS NOT NULL`,
        receivedAt,
      );
      if (!row) return undefined;
      const found = { sub: row.sub as string, username: row.username as string, email: row.email as string };
      return row.context === null ? found : { ...found, context: JSON.parse(row.context as string) };
    },
    resetPassword: async (tokenHash, passwordHash, now, { event, mail }, receivedAt) => {
      const live = sql`token_hash = ${tokenHash} AND expires_at > ${now}`;
      const done = await actOnce(
        db,
        {
          *lock() {
            const [row] = yield* rowsOf(sql`SELECT sub FROM password_resets WHERE ${live}`);
            if (!row) return undefined;
            const sub = row.sub as string;
            // The advisory lock, then the row of the user, then that of the link: the order of every change of a user.
            yield* db.own.lockUsers([sub]);
            yield* rowsOf(sql`SELECT sub FROM users WHERE sub = ${sub} ${FOR_UPDATE}`);
            return sub;
          },
          *work(sub) {
            if (sub === undefined) return { result: false, act: undefined };
            const spent = yield* rowsOf(sql`DELETE FROM password_resets WHERE sub = ${sub} AND ${live} RETURNING 1`);
            if (spent.length === 0) return { result: false, act: undefined };
            yield* writeUser(db.own, { kind: 'user', sub, passwordHash, requirePasswordChange: false, now });
            yield* rowsOf(insertMail(mail));
            return { result: true, act: { event } };
          },
        },
        receivedAt,
      );
      return done === true;
    },
  };
}

interface NewReset extends Pick<PasswordResetStart, 'tokenHash' | 'expiresAt' | 'context'> {
  readonly links: number;
}

export function insertPasswordReset(sub: string, { tokenHash, links, expiresAt, context }: NewReset): Query {
  const asked = context === undefined ? null : JSON.stringify(context);
  return sql`INSERT INTO password_resets (sub, token_hash, links, expires_at, context)
    VALUES (${sub}, ${tokenHash}, ${links}, ${expiresAt}, ${asked})
    ON CONFLICT (sub) DO UPDATE SET token_hash = excluded.token_hash, links = excluded.links,
      expires_at = excluded.expires_at, context = excluded.context`;
}

/** How many links the user got since the newest was last expired. Undefined: the user gets none now. */
function* linksBefore({ sub, email, maxLinks }: PasswordResetStart, now: number): Steps<number | undefined> {
  const [user] = yield* rowsOf(sql`SELECT email, email_verified, disabled FROM users WHERE sub = ${sub} ${FOR_UPDATE}`);
  if (!user || user.disabled || !user.email_verified || user.email !== email) return undefined;
  const [row] = yield* rowsOf(sql`SELECT links FROM password_resets WHERE sub = ${sub} AND expires_at > ${now}`);
  const links = Number(row?.links ?? 0);
  return links < maxLinks ? links : undefined;
}

import { actOnce } from '../../audit/acts/queries.ts';
import { recordEvent } from '../../audit/events/queries.ts';
import { writeUser } from '../../directory/users/changes.queries.ts';
import { insertMail } from '../../notify/mail/queries.ts';
import { FOR_UPDATE, type Query, sql } from '../../platform/store/sql.ts';
import { type ColdDatabase, rowsOf, runAll, type Steps } from '../../platform/store/steps.ts';
import type { NewInvitation, PasswordResetStart, PasswordResets } from './resets.store.ts';

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
          writeLink({ sub, tokenHash, links: links + 1, expiresAt, context, isInvitation: false }),
          insertMail(mail),
          removed,
          recordEvent(event),
        ]);
        return true;
      }),
    findPasswordReset: async (tokenHash, now) => {
      const [row] = await db.read(
        sql`SELECT u.sub, u.username, u.email, r.context, r.invitation FROM password_resets r JOIN users u ON u.sub = r.sub
          WHERE r.token_hash = ${tokenHash} AND r.expires_at > ${now} AND u.email IS NOT NULL AND NOT u.disabled`,
      );
      return (
        row && {
          sub: row.sub as string,
          username: row.username as string,
          email: row.email as string,
          isInvitation: Boolean(row.invitation),
          ...(row.context === null ? {} : { context: JSON.parse(row.context as string) }),
        }
      );
    },
    resetPassword: async (tokenHash, passwordHash, now, { event, mail }) => {
      const live = sql`token_hash = ${tokenHash} AND expires_at > ${now}`;
      const done = await actOnce(db, {
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
          const spent = sql`DELETE FROM password_resets WHERE sub = ${sub} AND ${live} RETURNING invitation`;
          const [link] = yield* rowsOf(spent);
          if (!link) return { result: false, act: undefined };
          const profile = link.invitation ? { emailVerified: true } : {};
          yield* writeUser(db.own, { kind: 'user', sub, profile, passwordHash, requirePasswordChange: false, now });
          if (mail) yield* rowsOf(insertMail(mail));
          return { result: true, act: { event } };
        },
      });
      return done === true;
    },
  };
}

interface Link extends Pick<PasswordResetStart, 'sub' | 'tokenHash' | 'expiresAt' | 'context'> {
  /** How many the user got since the newest was last expired. */
  readonly links: number;
  readonly isInvitation: boolean;
}

export function writeLink({ sub, tokenHash, links, expiresAt, context, isInvitation }: Link): Query {
  const asked = context === undefined ? null : JSON.stringify(context);
  return sql`INSERT INTO password_resets (sub, token_hash, links, expires_at, context, invitation)
    VALUES (${sub}, ${tokenHash}, ${links}, ${expiresAt}, ${asked}, ${isInvitation})
    ON CONFLICT (sub) DO UPDATE SET token_hash = excluded.token_hash, links = excluded.links,
      expires_at = excluded.expires_at, context = excluded.context, invitation = excluded.invitation`;
}

/** The link of an invitation and its mail, in the transaction of the operator's act. It does not count for the limit of requests. */
export function writeInvitation(sub: string, { tokenHash, expiresAt, mail }: NewInvitation): Query[] {
  return [writeLink({ sub, tokenHash, links: 0, expiresAt, isInvitation: true }), insertMail(mail)];
}

/** How many links the user got since the newest was last expired. Undefined: the user gets none now. */
function* linksBefore({ sub, email, maxLinks }: PasswordResetStart, now: number): Steps<number | undefined> {
  const [user] = yield* rowsOf(sql`SELECT email, email_verified, disabled FROM users WHERE sub = ${sub} ${FOR_UPDATE}`);
  if (!user || user.disabled || !user.email_verified || user.email !== email) return undefined;
  const [row] = yield* rowsOf(sql`SELECT links FROM password_resets WHERE sub = ${sub} AND expires_at > ${now}`);
  const links = Number(row?.links ?? 0);
  return links < maxLinks ? links : undefined;
}

import { actOnce } from '../../audit/acts/queries.ts';
import { writeUsers } from '../../directory/users/changes.queries.ts';
import { unlessTaken } from '../../directory/users/login-names.queries.ts';
import { insertMail, insertMailUnlessFull } from '../../notify/mail/queries.ts';
import type { NewMail } from '../../notify/mail/store.ts';
import { optional, type Row } from '../../platform/store/row.ts';
import { FOR_UPDATE, type Query, sql } from '../../platform/store/sql.ts';
import { type ColdDatabase, type OwnSteps, rowsOf, runAll, type Steps } from '../../platform/store/steps.ts';
import type {
  EmailChange,
  EmailConfirmationRequest,
  EmailConfirmationStart,
  EmailConfirmations,
  WaitingEmail,
} from './store.ts';
import { countAsHeld, insertUndo, isSameAddress, putBack, takeUndo } from './undo-records.queries.ts';

export function coldEmailConfirmations(db: ColdDatabase): EmailConfirmations {
  return {
    requestEmailConfirmation: request => db.transaction(() => queue(db.own, request)),
    startEmailConfirmation: (start, now) => db.transaction(() => begin(db.own, start, now)),
    findEmailConfirmation: async (tokenHash, now) => {
      const found = sql`SELECT id, token_hash, sealed FROM email_confirmations WHERE ${isLive(tokenHash, now)}`;
      return (await db.read(found)).map(toWaiting)[0];
    },
    emailStateOf: async (sub, id, now) => {
      const state = sql`SELECT u.username, u.email, u.email_verified, c.data AS password_hash,
          EXISTS (SELECT 1 FROM email_confirmations w WHERE w.id = ${id} AND w.sub = u.sub AND w.expires_at > ${now}) AS is_sent
        FROM users u LEFT JOIN credentials c ON c.sub = u.sub AND c.id = 'password'
        WHERE u.sub = ${sub} AND u.disabled = ${false}`;
      const [row] = await db.read(state);
      return (
        row && {
          username: row.username as string,
          email: optional(row.email),
          emailVerified: row.email !== null && Boolean(row.email_verified),
          passwordHash: optional(row.password_hash),
          isSent: Boolean(row.is_sent),
        }
      );
    },
    attemptEmailCode: ({ id, limit, expiresAt }, now) =>
      db.transaction(function* () {
        const counted = yield* rowsOf(
          sql`INSERT INTO second_factor_attempts (sign_in, attempts, expires_at) VALUES (${`email ${id}`}, 1, ${expiresAt})
            ON CONFLICT (sign_in) DO UPDATE SET attempts = second_factor_attempts.attempts + 1
            WHERE second_factor_attempts.attempts < ${limit} RETURNING attempts`,
        );
        if (counted.length === 0) return 'exhausted';
        const waiting = sql`SELECT id, token_hash, sealed FROM email_confirmations WHERE id = ${id} AND expires_at > ${now}`;
        return (yield* rowsOf(waiting)).map(toWaiting)[0];
      }),
    createConfirmedUser: (tokenHash, account, now, event) =>
      unlessAnswered(
        unlessTaken(
          actOnce(db, {
            *lock() {},
            *work() {
              if (!(yield* spend(tokenHash, now))) return { result: 'ended', act: undefined };
              yield* writeUsers(db.own, [{ kind: 'newUser', account }]);
              return { result: 'created', act: { event } } as const;
            },
          }),
        ),
      ),
    confirmEmail: (tokenHash, change, now, event) =>
      unlessAnswered(
        unlessTaken(
          actOnce(db, {
            lock: () => lockUser(change.sub),
            *work(user) {
              if (!(yield* spend(tokenHash, now))) return { result: 'ended', act: undefined };
              if (!user || user.disabled || optional(user.email) !== change.from)
                return { result: 'ended', act: undefined };
              yield* setEmail(db, change, user, now);
              return { result: 'confirmed', act: { event } } as const;
            },
          }),
        ),
      ),
  };
}

/**
 * The entry of the queue is sealed: nobody can tell whose it is. So a row of email_confirmations stands for it until its mail is made, and
 * without that row the mail is not made. Whatever ends the confirmations of a user locks the user: it deletes the row, or came first and has
 * ended the session that asks.
 */
function* queue(own: OwnSteps, { entry, limit, sub, sid }: EmailConfirmationRequest): Steps<boolean> {
  yield* own.lockUsers([sub]);
  if ((yield* rowsOf(insertMailUnlessFull(entry, limit))).length === 0) return false;
  const asks =
    sid === undefined
      ? sql`SELECT 1 FROM users WHERE sub = ${sub}`
      : sql`SELECT 1 FROM sessions WHERE sub = ${sub} AND sid = ${sid}`;
  if ((yield* rowsOf(asks)).length > 0) yield* rowsOf(insertRequest(entry, sub));
  return true;
}

/** Its id is no SHA-256 hash, so no link and no code finds the row. */
function insertRequest({ id, expiresAt }: NewMail, sub: string): Query {
  return sql`INSERT INTO email_confirmations (id, token_hash, sub, sealed, mails, expires_at)
    VALUES (${id}, ${Buffer.from(id)}, ${sub}, ${Buffer.alloc(0)}, 0, ${expiresAt}) ON CONFLICT (id) DO NOTHING`;
}

function* begin(
  own: OwnSteps,
  start: EmailConfirmationStart,
  now: number,
): Steps<'started' | 'taken' | 'limited' | 'gone'> {
  const { sub, mail, takenMail, requestedBy } = start;
  if (sub !== undefined) yield* own.lockUsers([sub]);
  const entry = yield* rowsOf(sql`DELETE FROM mails WHERE id = ${requestedBy} RETURNING 1`);
  if (entry.length === 0) return 'gone';
  if (sub !== undefined) {
    const user = yield* lockUser(sub);
    if (!user || user.disabled) return 'gone';
    const request = sql`DELETE FROM email_confirmations WHERE id = ${requestedBy} AND sub = ${sub} RETURNING 1`;
    if ((yield* rowsOf(request)).length === 0) return 'gone';
  }
  const [owner] = yield* rowsOf(sql`SELECT sub FROM login_names WHERE login_name = ${start.loginName}`);
  const isOwn = owner !== undefined && owner.sub === sub;
  if ((yield* rowsOf(countMail(start, isOwn, now))).length === 0) return 'limited';
  if (owner && !isOwn) {
    yield* rowsOf(insertMail(takenMail));
    return 'taken';
  }
  if ((yield* rowsOf(putConfirmation(start, now))).length === 0) return 'limited';
  yield* rowsOf(insertMail(mail));
  return 'started';
}

/** The requests of the owner are counted apart: otherwise whoever asks for the address often enough keeps its owner from verifying it. */
function countMail(
  { addressKey, expiresAt, maxMailsOfAddress }: EmailConfirmationStart,
  isOwn: boolean,
  now: number,
): Query {
  const key = isOwn ? `own ${addressKey}` : addressKey;
  return sql`INSERT INTO address_mails (address, mails, expires_at) VALUES (${key}, 1, ${expiresAt})
    ON CONFLICT (address) DO UPDATE SET expires_at = excluded.expires_at,
      mails = CASE WHEN address_mails.expires_at > ${now} THEN address_mails.mails + 1 ELSE 1 END
    WHERE address_mails.mails < ${maxMailsOfAddress} OR address_mails.expires_at <= ${now} RETURNING 1`;
}

/** The newest mail replaces code and link of the one before. */
function putConfirmation(start: EmailConfirmationStart, now: number): Query {
  const { id, tokenHash, sub, sealed, expiresAt, maxMails } = start;
  return sql`INSERT INTO email_confirmations (id, token_hash, sub, sealed, mails, expires_at)
    VALUES (${id}, ${tokenHash}, ${sub ?? null}, ${sealed}, 1, ${expiresAt})
    ON CONFLICT (id) DO UPDATE SET token_hash = excluded.token_hash, sub = excluded.sub, sealed = excluded.sealed,
      expires_at = excluded.expires_at,
      mails = CASE WHEN email_confirmations.expires_at > ${now} THEN email_confirmations.mails + 1 ELSE 1 END
    WHERE email_confirmations.mails < ${maxMails} OR email_confirmations.expires_at <= ${now} RETURNING 1`;
}

function isLive(tokenHash: Uint8Array, now: number): Query {
  return sql`token_hash = ${tokenHash} AND expires_at > ${now}`;
}

/** Of any number of callers, one. */
function* spend(tokenHash: Uint8Array, now: number): Steps<boolean> {
  const spent = yield* rowsOf(sql`DELETE FROM email_confirmations WHERE ${isLive(tokenHash, now)} RETURNING 1`);
  return spent.length === 1;
}

/** Locks the user first, as every change of a user does: otherwise two changes could deadlock. */
function* lockUser(sub: string): Steps<Row | undefined> {
  return (yield* rowsOf(
    sql`SELECT username, email, email_verified, email_since, disabled FROM users WHERE sub = ${sub} ${FOR_UPDATE}`,
  ))[0];
}

/**
 * A user name that is the address changes with it, so that the former address is no name of the user any more. The write ends every
 * undo; that of an earlier change stays, unless the user goes back to its address.
 */
function* setEmail({ own }: ColdDatabase, change: EmailChange, user: Row, now: number): Steps<void> {
  const { sub, email, from } = change;
  const username = isSameAddress(user.username as string, from) ? email : undefined;
  const earlier = yield* takeUndo(sub, now);
  yield* writeUsers(own, [{ kind: 'user', sub, profile: { email, emailVerified: true, username }, now }]);
  if (earlier) yield* rowsOf(isSameAddress(earlier.email as string, email) ? countAsHeld(sub) : putBack(sub, earlier));
  yield* tellFormer(change, user, { isUndoable: earlier === undefined, isName: username !== undefined, now });
}

interface Changed {
  /** No earlier change can be undone. */
  readonly isUndoable: boolean;
  /** The former address was the user name. */
  readonly isName: boolean;
  readonly now: number;
}

/** By what the user had when the row was locked: an operator may have changed it since the mail was sent. */
function* tellFormer({ sub, from, undo }: EmailChange, user: Row, { isUndoable, isName, now }: Changed): Steps<void> {
  if (!undo || from === undefined || !user.email_verified) return;
  const isHeld = user.email_since === null || Number(user.email_since) <= undo.heldSince;
  if (!isUndoable || !isHeld) {
    yield* rowsOf(insertMail(undo.notice));
    return;
  }
  const former = { sub, email: from, username: isName ? (user.username as string) : null, changedAt: now };
  yield* runAll([insertUndo(undo, former), insertMail(undo.mail)]);
}

function toWaiting(row: Row): WaitingEmail {
  return {
    id: row.id as string,
    tokenHash: new Uint8Array(row.token_hash as Uint8Array),
    sealed: new Uint8Array(row.sealed as Uint8Array),
  };
}

/** These acts have no idempotent answer, so none can have been given before. */
async function unlessAnswered<T>(outcome: Promise<T>): Promise<Exclude<T, { readonly kind: 'alreadyAnswered' }>> {
  return (await outcome) as Exclude<T, { readonly kind: 'alreadyAnswered' }>;
}

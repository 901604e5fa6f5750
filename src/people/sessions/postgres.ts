import { recordEvent } from '../../audit/events/postgres.ts';
import { toProfile, USER_COLUMNS } from '../../directory/users/rows.store.ts';
import type { NewMail } from '../../notify/mail/store.ts';
import { denyApprovedBy } from '../../oauth/polled-grant/postgres.ts';
import {
  hasPasskeys,
  issueOutcome,
  mayGetIn,
  NOTE_CLIENT,
  revokeCodes,
  revokeGrants,
  SELECT_KNOWN,
} from '../../oauth/token/grants.postgres.ts';
import type { Scope } from '../../oauth/token/scope.rules.ts';
import { onAllParts } from '../../platform/store/citus/parts.ts';
import { RolledBack } from '../../platform/store/faults.ts';
import type { Database } from '../../platform/store/postgres/database.ts';
import { takeLocks, userLock } from '../../platform/store/postgres/locks.ts';
import type { Partitions } from '../../platform/store/postgres/partitions.ts';
import { lookedUp, type Run, statement } from '../../platform/store/postgres/statement.ts';
import {
  END_RETENTION_SECONDS,
  IDLE_STEP_SECONDS,
  SPENT_LOGIN_RETENTION_SECONDS,
} from '../../platform/store/retention.ts';
import { type Row, words } from '../../platform/store/row.ts';
import type { ColdDatabase } from '../../platform/store/steps.ts';
import { coldSessions } from './queries.ts';
import { type Kept, toHeldKinds, toKept } from './rows.store.ts';
import {
  type EndedSession,
  type LoginEvents,
  MAX_SESSIONS_OF_USER,
  type NewSession,
  type SessionKey,
  type SessionOutcome,
  type Sessions,
} from './store.ts';

const SPEND = statement(
  'INSERT INTO spent_logins (pending_id, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING 1',
);
const USE = statement(
  `SELECT s.sid, s.auth_time, s.amr, s.opened_by, s.idle_expires_at, s.expires_at, c.scope AS consented,
     k.kinds AS credential_kinds, u.require_mfa, ${USER_COLUMNS}
   FROM sessions s CROSS JOIN ${lookedUp('SELECT * FROM users WHERE sub = s.sub AND NOT disabled')} AS u
   LEFT JOIN ${lookedUp('SELECT scope FROM consents WHERE sub = s.sub AND app = $1 AND client_id = $2')} AS c ON true
   LEFT JOIN LATERAL (SELECT string_agg(kind, ' ') AS kinds FROM credentials WHERE sub = s.sub) AS k ON true
   WHERE s.id_hash = $3 AND s.expires_at > $4 AND s.idle_expires_at > $4`,
);
const TOUCH = statement('UPDATE sessions SET idle_expires_at = least($1, expires_at) WHERE id_hash = $2');
const PRESENT = statement(
  `SELECT sid, sub, started_at FROM sessions WHERE id_hash = $1 AND expires_at > $2 AND idle_expires_at > $2`,
);
const REMOVE = statement('DELETE FROM sessions WHERE id_hash = $1 RETURNING 1');
/** How many sessions the user has, as far as it matters. */
const countHeld = (sub: string) =>
  `SELECT count(*)::int AS held FROM (SELECT 1 FROM sessions WHERE sub = ${sub} LIMIT ${MAX_SESSIONS_OF_USER}) AS own`;
const INSERT = statement(
  `INSERT INTO sessions (id_hash, sid, sub, auth_time, amr, opened_by, idle_expires_at, expires_at, user_agent, address,
     started_at)
   SELECT $1, $2, $3, $4, $5, $6, $7, $8, $10, $11, $12 WHERE ${mayGetIn('$3', '$9')} AND ${hasPasskeys('$3', '$13')}
   RETURNING (${countHeld('$3')}) AS held`,
);
const NOTE = statement(`WITH noted AS (${NOTE_CLIENT}) ${SELECT_KNOWN}`);

export function sessions(db: Database, cold: ColdDatabase, partitions: Partitions): Sessions {
  return {
    ...coldSessions(cold),
    openSession: async (session, now, events) => {
      const operation = db.operation();
      const attempt = (isAlone: boolean) => operation.transaction(run => open(run, session, { now, events, isAlone }));
      const openWithin = () =>
        attempt(false).catch(error => {
          if (error instanceof TooManySessions) return attempt(true);
          throw error;
        });
      return partitions.writing(operation, [['sessions', session.idHash]], openWithin);
    },
    useSession: async (idHash, now, idleExpiresAt, consentOf) => {
      const { app, clientId } = consentOf ?? { app: '', clientId: '' };
      const { read, write } = db.operation();
      const [row] = await read(USE, [app, clientId, idHash, now]);
      if (!row) return undefined;
      const longest = Math.min(idleExpiresAt, row.expires_at as number);
      if (longest - (row.idle_expires_at as number) >= IDLE_STEP_SECONDS) await write(TOUCH, [idleExpiresAt, idHash]);
      return {
        sid: row.sid as string,
        authTime: row.auth_time as number,
        amr: words(row.amr),
        openedByRequest: row.opened_by as string,
        ...toHeldKinds(row.credential_kinds),
        requiresMfa: Boolean(row.require_mfa),
        user: toProfile(row),
        consented: row.consented === null ? [] : (words(row.consented) as Scope[]),
      };
    },
    endSession: (which, now, event) =>
      db.transaction(async run => {
        const ended = await endSession(run, which, now);
        if (ended && event) await recordEvent(run, event(ended));
      }),
    endUserAccess: (sub, now, event) =>
      db.longTransaction(async run => {
        await takeLocks(run, { alone: [userLock(sub)] });
        const sessions = await endUserAccess(run, sub, now);
        if (event) await recordEvent(run, event(sessions));
      }),
    noteSessionClient: async (app, clientId, sid) => issueOutcome(await db.write(NOTE, [app, clientId, sid])),
  };
}

/** Rolls back the transaction: it is run again, alone with the user, and ends the oldest sessions. */
class TooManySessions extends RolledBack {
  constructor() {
    super('the user has too many sessions');
  }
}

interface Opening {
  readonly now: number;
  readonly events: LoginEvents | undefined;
  /** With the user: no other session is opened meanwhile. */
  readonly isAlone: boolean;
}

async function open(run: Run, session: NewSession, { now, events, isAlone }: Opening): Promise<SessionOutcome> {
  // Locks for both users: two browsers may exchange their accounts at the same moment, and each ends a session of the other's user.
  const [former] = session.replaces ? await run(BY_ID, [session.replaces]) : [];
  const alone = former && former.sub !== session.sub ? [userLock(former.sub as string)] : [];
  if (isAlone) alone.push(userLock(session.sub));
  await takeLocks(run, { alone, shared: [userLock(session.sub)] });
  const spent = await run(SPEND, [session.openedByRequest, now + SPENT_LOGIN_RETENTION_SECONDS]);
  // An earlier attempt of this call may have succeeded and its answer was lost. Its session then exists.
  if (spent.length === 0) return (await run(BY_ID, [session.idHash])).length > 0 ? 'opened' : 'replayed';
  const kept = await replace(run, session, now, events);
  if (session.stepsUp && kept === undefined) return 'ended';
  const sid = kept?.sid ?? session.sid;
  const inserted = await insert(run, { ...session, sid }, kept?.startedAt ?? now);
  if (!inserted) return 'opened';
  if (inserted.held >= MAX_SESSIONS_OF_USER && !isAlone) throw new TooManySessions();
  if (events) await recordEvent(run, events.succeeded(sid));
  if (isAlone) await endOldest(run, { ...session, sid }, now, events);
  if (session.mail) await queueMail(run, session.mail);
  return 'opened';
}

/** What the new session keeps of the browser's present one, if that is the same user's. */
async function replace(
  run: Run,
  { replaces, sub }: NewSession,
  now: number,
  events: LoginEvents | undefined,
): Promise<Kept | undefined> {
  const [present] = replaces ? await run(PRESENT, [replaces, now]) : [];
  if (!replaces || !present) return undefined;
  if (present.sub !== sub) {
    const ended = await removeSession(run, { id_hash: replaces, ...present }, now);
    if (ended && events) await recordEvent(run, events.replaced(ended));
    return undefined;
  }
  await run(REMOVE, [replaces]);
  return toKept(present);
}

const QUEUE_MAIL = statement(
  'INSERT INTO mails (id, sealed, attempts, due_at, created_at, expires_at) VALUES ($1, $2, 0, $3, $3, $4)',
);

async function queueMail(run: Run, { id, sealed, createdAt, expiresAt }: NewMail): Promise<void> {
  await run(QUEUE_MAIL, [id, sealed, createdAt, expiresAt]);
}

interface Inserted {
  readonly held: number;
}

/** Undefined if the user was disabled, got another password or lost a passkey meanwhile. */
async function insert(run: Run, session: NewSession, startedAt: number): Promise<Inserted | undefined> {
  const { idHash, sid, sub, authTime, amr, openedByRequest, idleExpiresAt, expiresAt, passwordHash = null } = session;
  const values = [idHash, sid, sub, authTime, amr.join(' '), openedByRequest, idleExpiresAt, expiresAt, passwordHash];
  const seen = [session.userAgent ?? null, session.address, startedAt];
  const passkeys = session.passkeys?.join(' ') ?? '';
  const [row] = await run(INSERT, [...values, ...seen, passkeys]);
  return row as Inserted | undefined;
}

const BY_ID = statement('SELECT id_hash, sid, sub FROM sessions WHERE id_hash = $1');
const BY_SID = statement('SELECT id_hash, sid, sub FROM sessions WHERE sub = $1 AND sid = $2');
const REMOVE_OTHERS = statement('DELETE FROM sessions WHERE sub = $1 AND sid <> $2 RETURNING sid');
const REMOVE_ALL = statement('DELETE FROM sessions WHERE sub = $1 RETURNING sid');
const REVOKE_CODES = revokeCodes('sub = $2 AND sid = ANY ($3::text[])');
const REVOKE = revokeGrants('sid = ANY ($2::text[])');
const NOTIFY = onAllParts(app =>
  statement(
    `INSERT INTO logout_notices (app, client_id, sub, sid, due_at)
     SELECT DISTINCT ${app}, client_id, $1, sid, $2::bigint FROM session_clients WHERE sid = ANY ($3::text[])`,
  ),
);
const FORGET = statement('DELETE FROM session_clients WHERE sid = ANY ($1::text[])');
const REMEMBER = statement('INSERT INTO ended_sessions (sid, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING');
const REMEMBER_MANY = statement(
  `INSERT INTO ended_sessions (sid, expires_at) SELECT sid, $2::bigint FROM unnest($1::text[]) AS ended (sid)
   ON CONFLICT DO NOTHING`,
);

/** Runs inside a transaction. Undefined: there was no such session. */
export async function endSession(run: Run, which: SessionKey, now: number): Promise<EndedSession | undefined> {
  const [row] = await ('idHash' in which ? run(BY_ID, [which.idHash]) : run(BY_SID, [which.sub, which.sid]));
  if (!row) return undefined;
  await takeLocks(run, { alone: [userLock(row.sub as string)] });
  return removeSession(run, row, now);
}

/** The transaction holds the lock of the session's user. */
async function removeSession(run: Run, row: Row, now: number): Promise<EndedSession | undefined> {
  const { sid, sub } = row as { sid: string; sub: string };
  // Another transaction may have ended the session while this one waited for the lock. It has queued the logout notices.
  const removed = await run(REMOVE, [row.id_hash as Uint8Array]);
  if (removed.length === 0) return undefined;
  await endHeld(run, sub, [sid], now);
  return { sub, sid };
}

/** Ends the sessions of the user but this one. The transaction holds the user's lock. Returns which. */
export async function endOtherSessions(run: Run, sub: string, keptSid: string, now: number): Promise<string[]> {
  const sids = sidsOf(await run(REMOVE_OTHERS, [sub, keptSid]));
  if (sids.length > 0) await endHeld(run, sub, sids, now);
  return sids;
}

const REMOVE_ENDED = statement(
  'DELETE FROM sessions WHERE sub = $1 AND (idle_expires_at <= $2 OR expires_at <= $2) RETURNING sid',
);
const OLDEST = statement(
  'SELECT sid FROM sessions WHERE sub = $1 AND sid <> $2 ORDER BY auth_time DESC, idle_expires_at DESC OFFSET $3',
);
const REMOVE_THESE = statement('DELETE FROM sessions WHERE sub = $1 AND sid = ANY ($2::text[])');

/** Ends the sessions beyond MAX_SESSIONS_OF_USER, after this one was opened. The transaction holds the user's lock. */
async function endOldest(run: Run, { sub, sid }: NewSession, now: number, events: LoginEvents | undefined) {
  // As the purge does: these are over, and what was issued in them is not.
  await run(FORGET, [sidsOf(await run(REMOVE_ENDED, [sub, now]))]);
  const oldest = sidsOf(await run(OLDEST, [sub, sid, MAX_SESSIONS_OF_USER - 1]));
  if (oldest.length === 0) return;
  await run(REMOVE_THESE, [sub, oldest]);
  await endHeld(run, sub, oldest, now);
  for (const each of oldest) if (events) await recordEvent(run, events.outnumbered({ sub, sid: each }));
}

function sidsOf(rows: readonly Row[]): string[] {
  return rows.map(({ sid }) => sid as string);
}

/** What was issued in sessions that have been removed. */
async function endHeld(run: Run, sub: string, sids: readonly string[], now: number): Promise<void> {
  // Codes before grants: the first statement waits for redemptions that are running, and the second then sees their grants.
  await run(REVOKE_CODES, [now, sub, sids]);
  await run(REVOKE, [now, sids]);
  await tellClients(run, sub, sids, now);
}

async function tellClients(run: Run, sub: string, sids: readonly string[], now: number): Promise<void> {
  await run(NOTIFY, [sub, now, sids]);
  await run(FORGET, [sids]);
  const [sid = ''] = sids;
  // On Citus, a SELECT into a reference table takes a way of several steps: not for each logout.
  if (sids.length === 1) await run(REMEMBER, [sid, now + END_RETENTION_SECONDS]);
  else await run(REMEMBER_MANY, [sids, now + END_RETENTION_SECONDS]);
}

const REVOKE_CODES_OF_USER = revokeCodes('sub = $2');
const REVOKE_OF_USER = revokeGrants('sub = $2');
const denyApproved = denyApprovedBy('sub = $1');
const DISTRUST = statement('DELETE FROM trusted_browsers WHERE sub = $1');
const END_CONFIRMATIONS = statement('DELETE FROM email_confirmations WHERE sub = $1');
const END_UNDOS = statement('DELETE FROM email_undos WHERE sub = $1');

/**
 * Ends all sessions of the user as a logout does, all codes and grants, the trust in browsers, an e-mail address that waits for its
 * confirmation, and the undo of a changed one (in this order: `endConfirmations`). The transaction holds the user's lock. Returns how many sessions ended. One statement ends all of them, so that a user with very many sessions can still be disabled within DATABASE_TIMEOUT.
 */
export async function endUserAccess(run: Run, sub: string, now: number): Promise<number> {
  const sids = sidsOf(await run(REMOVE_ALL, [sub]));
  await run(REVOKE_CODES_OF_USER, [now, sub]);
  await run(REVOKE_OF_USER, [now, sub]);
  if (sids.length > 0) await tellClients(run, sub, sids, now);
  await denyApproved(run, [sub]);
  await run(DISTRUST, [sub]);
  await run(END_CONFIRMATIONS, [sub]);
  await run(END_UNDOS, [sub]);
  return sids.length;
}

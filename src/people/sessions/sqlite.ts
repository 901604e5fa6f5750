import { prepareRecordEvent } from '../../audit/events/sqlite.ts';
import { toProfile, USER_COLUMNS } from '../../directory/users/rows.store.ts';
import type { NewMail } from '../../notify/mail/store.ts';
import { prepareRevokeCodes } from '../../oauth/authorization-code/revoke.sqlite.ts';
import { prepareDenyApproved } from '../../oauth/polled-grant/sqlite.ts';
import { prepareClientCheck, prepareLoginCheck, prepareNoteSessionClient } from '../../oauth/token/grants.sqlite.ts';
import type { Scope } from '../../oauth/token/scope.rules.ts';
import {
  END_RETENTION_SECONDS,
  IDLE_STEP_SECONDS,
  SPENT_LOGIN_RETENTION_SECONDS,
} from '../../platform/store/retention.ts';
import { type Row, words } from '../../platform/store/row.ts';
import type { Database } from '../../platform/store/sqlite/database.ts';
import type { ColdDatabase } from '../../platform/store/steps.ts';
import { coldSessions } from './queries.ts';
import { type Kept, toHeldKinds, toKept } from './rows.store.ts';
import {
  type EndedSession,
  type LoginEvents,
  MAX_SESSIONS_OF_USER,
  type NewSession,
  type SessionKey,
  type Sessions,
} from './store.ts';

export function sessions(db: Database, cold: ColdDatabase): Sessions {
  const spend = db.prepare('INSERT INTO spent_logins (pending_id, expires_at) VALUES (?, ?) ON CONFLICT DO NOTHING');
  const find = db.prepare(
    `SELECT s.sid, s.auth_time, s.amr, s.opened_by, s.idle_expires_at, s.expires_at, c.scope AS consented,
       (SELECT group_concat(k.kind, ' ') FROM credentials k WHERE k.sub = s.sub) AS credential_kinds, u.require_mfa, ${USER_COLUMNS}
     FROM sessions s JOIN users u ON u.sub = s.sub
     LEFT JOIN consents c ON c.sub = s.sub AND c.app = ? AND c.client_id = ?
     WHERE s.id_hash = ? AND s.expires_at > ? AND s.idle_expires_at > ? AND u.disabled = 0`,
  );
  const touch = db.prepare('UPDATE sessions SET idle_expires_at = min(?, expires_at) WHERE id_hash = ?');
  const note = prepareNoteSessionClient(db);
  const isClient = prepareClientCheck(db);
  const mayGetIn = prepareLoginCheck(db);
  const hasPasskey = db.prepare("SELECT 1 FROM credentials WHERE sub = ? AND id = ? AND kind = 'passkey'");
  const hasPasskeys = ({ sub, passkeys = [] }: NewSession) =>
    passkeys.every(id => hasPasskey.get(sub, id) !== undefined);
  const { insert, replace } = prepareSessionWrites(db);
  const end = prepareEndSession(db);
  const endAll = prepareEndUserAccess(db);
  const endOldest = prepareEndOldest(db);
  const record = prepareRecordEvent(db);
  const addMail = db.prepare(
    'INSERT INTO mails (id, sealed, attempts, due_at, created_at, expires_at) VALUES (?, ?, 0, ?, ?, ?)',
  );
  const queueMail = ({ id, sealed, createdAt, expiresAt }: NewMail) =>
    addMail.run(id, sealed, createdAt, createdAt, expiresAt);

  return {
    ...coldSessions(cold),
    openSession: (session, now, events) =>
      db.write(() => {
        if (spend.run(session.openedByRequest, now + SPENT_LOGIN_RETENTION_SECONDS).changes === 0) return 'replayed';
        const kept = replace(session, now, events);
        if (session.stepsUp && kept === undefined) return 'ended';
        const sid = kept?.sid ?? session.sid;
        if (mayGetIn(session.sub, session.passwordHash) && hasPasskeys(session)) {
          insert({ ...session, sid }, kept?.startedAt ?? now);
          if (events) record(events.succeeded(sid));
          for (const ended of endOldest(session.sub, sid, now)) if (events) record(events.outnumbered(ended));
          if (session.mail) queueMail(session.mail);
        }
        return 'opened';
      }),
    useSession: async (idHash, now, idleExpiresAt, consentOf) => {
      const { app, clientId } = consentOf ?? { app: '', clientId: '' };
      const row = await db.read(() => find.get(app, clientId, idHash, now, now) as Row | undefined);
      if (!row) return undefined;
      const longest = Math.min(idleExpiresAt, row.expires_at as number);
      if (longest - (row.idle_expires_at as number) >= IDLE_STEP_SECONDS) {
        await db.write(() => touch.run(idleExpiresAt, idHash));
      }
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
      db.write(() => {
        const ended = end(which, now);
        if (ended && event) record(event(ended));
      }),
    endUserAccess: (sub, now, event) =>
      db.write(() => {
        const sessions = endAll(sub, now);
        if (event) record(event(sessions));
      }),
    noteSessionClient: (app, clientId, sid) =>
      db.write(() => {
        note(app, { clientId, sid });
        return isClient(app, clientId) ? 'issued' : 'clientGone';
      }),
  };
}

function prepareSessionWrites(db: Database) {
  const add = db.prepare(
    `INSERT INTO sessions (id_hash, sid, sub, auth_time, amr, opened_by, idle_expires_at, expires_at, user_agent, address,
       started_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const find = db.prepare(
    `SELECT sid, sub, started_at FROM sessions WHERE id_hash = ? AND expires_at > ? AND idle_expires_at > ?`,
  );
  const remove = db.prepare('DELETE FROM sessions WHERE id_hash = ?');
  const end = prepareEndSession(db);
  const record = prepareRecordEvent(db);
  return {
    insert: (session: NewSession, startedAt: number): void => {
      const { idHash, sid, sub, authTime, amr, openedByRequest, idleExpiresAt, expiresAt, userAgent, address } =
        session;
      const seen = [userAgent ?? null, address, startedAt];
      add.run(idHash, sid, sub, authTime, amr.join(' '), openedByRequest, idleExpiresAt, expiresAt, ...seen);
    },
    /** What the new session keeps of the browser's present one, if that is the same user's. */
    replace: ({ replaces, sub }: NewSession, now: number, events: LoginEvents | undefined): Kept | undefined => {
      const present = replaces && (find.get(replaces, now, now) as Row | undefined);
      if (!replaces || !present) return undefined;
      if (present.sub !== sub) {
        const ended = end({ idHash: replaces }, now);
        if (ended && events) record(events.replaced(ended));
        return undefined;
      }
      remove.run(replaces);
      return toKept(present);
    },
  };
}

/** Runs inside a write. Undefined: there was no such session. */
export function prepareEndSession(db: Database): (which: SessionKey, now: number) => EndedSession | undefined {
  const findById = db.prepare('SELECT id_hash, sid, sub FROM sessions WHERE id_hash = ?');
  const findBySid = db.prepare('SELECT id_hash, sid, sub FROM sessions WHERE sub = ? AND sid = ?');
  const remove = db.prepare('DELETE FROM sessions WHERE id_hash = ?');
  const endHeld = prepareEndHeld(db);
  return (which, now) => {
    const row = ('idHash' in which ? findById.get(which.idHash) : findBySid.get(which.sub, which.sid)) as
      | Row
      | undefined;
    if (!row) return undefined;
    const { sid, sub } = row as { sid: string; sub: string };
    remove.run(row.id_hash as Uint8Array);
    endHeld(sub, [sid], now);
    return { sub, sid };
  };
}

/** Ends the sessions of the user but this one. Runs inside a write. Returns which. */
export function prepareEndOtherSessions(db: Database): (sub: string, keptSid: string, now: number) => string[] {
  const remove = db.prepare('DELETE FROM sessions WHERE sub = ? AND sid <> ? RETURNING sid');
  const endHeld = prepareEndHeld(db);
  return (sub, keptSid, now) => {
    const sids = sidsOf(remove.all(sub, keptSid) as Row[]);
    endHeld(sub, sids, now);
    return sids;
  };
}

/** Ends the sessions beyond MAX_SESSIONS_OF_USER, after this one was opened. Runs inside a write. */
function prepareEndOldest(db: Database): (sub: string, newSid: string, now: number) => EndedSession[] {
  const count = db.prepare('SELECT count(*) AS held FROM sessions WHERE sub = ?');
  const ended = db.prepare(
    'DELETE FROM sessions WHERE sub = ? AND (idle_expires_at <= ? OR expires_at <= ?) RETURNING sid',
  );
  const forget = db.prepare('DELETE FROM session_clients WHERE sid IN (SELECT value FROM json_each(?))');
  const oldest = db.prepare(
    `DELETE FROM sessions WHERE id_hash IN (SELECT id_hash FROM sessions WHERE sub = ? AND sid <> ?
       ORDER BY auth_time DESC, idle_expires_at DESC LIMIT -1 OFFSET ?) RETURNING sid`,
  );
  const endHeld = prepareEndHeld(db);
  return (sub, newSid, now) => {
    if ((count.get(sub)?.held as number) <= MAX_SESSIONS_OF_USER) return [];
    // As the purge does: these are over, and what was issued in them is not.
    forget.run(JSON.stringify(sidsOf(ended.all(sub, now, now) as Row[])));
    const sids = sidsOf(oldest.all(sub, newSid, MAX_SESSIONS_OF_USER - 1) as Row[]);
    if (sids.length > 0) endHeld(sub, sids, now);
    return sids.map(sid => ({ sub, sid }));
  };
}

function sidsOf(rows: readonly Row[]): string[] {
  return rows.map(({ sid }) => sid as string);
}

/**
 * What was issued in sessions that have been removed. Codes that came from them are not touched: redeemCode refuses them as long as
 * ended_sessions has the session, which is longer than a code lives.
 */
function prepareEndHeld(db: Database) {
  const revoke = db.prepare('UPDATE grants SET revoked_at = ? WHERE sid = ? AND revoked_at IS NULL');
  const notify = db.prepare(
    `INSERT INTO logout_notices (app, client_id, sub, sid, due_at)
     SELECT app, client_id, ?, sid, ? FROM session_clients WHERE sid = ?`,
  );
  const forget = db.prepare('DELETE FROM session_clients WHERE sid = ?');
  const remember = db.prepare('INSERT OR IGNORE INTO ended_sessions (sid, expires_at) VALUES (?, ?)');
  // One by one: nothing is gained by a list without a way to another machine, and a logout has one.
  return (sub: string, sids: readonly string[], now: number): void => {
    for (const sid of sids) {
      revoke.run(now, sid);
      notify.run(sub, now, sid);
      forget.run(sid);
      remember.run(sid, now + END_RETENTION_SECONDS);
    }
  };
}

/**
 * Ends all sessions of the user as a logout does, all codes and grants, the trust in browsers, an e-mail address that waits for its
 * confirmation, and the undo of a changed one. Runs inside a write. Returns how many sessions ended.
 */
export function prepareEndUserAccess(db: Database): (sub: string, now: number) => number {
  const remove = db.prepare('DELETE FROM sessions WHERE sub = ? RETURNING sid');
  const revokeGrants = db.prepare('UPDATE grants SET revoked_at = ? WHERE sub = ? AND revoked_at IS NULL');
  const revokeCodes = prepareRevokeCodes(db, 'sub = ?');
  const denyApproved = prepareDenyApproved(db, 'sub = ?');
  const distrust = db.prepare('DELETE FROM trusted_browsers WHERE sub = ?');
  const endConfirmations = db.prepare('DELETE FROM email_confirmations WHERE sub = ?');
  const endUndos = db.prepare('DELETE FROM email_undos WHERE sub = ?');
  const endHeld = prepareEndHeld(db);
  return (sub, now) => {
    const sids = sidsOf(remove.all(sub) as Row[]);
    endHeld(sub, sids, now);
    revokeGrants.run(now, sub);
    revokeCodes(now, sub);
    denyApproved(sub);
    distrust.run(sub);
    endConfirmations.run(sub);
    endUndos.run(sub);
    return sids.length;
  };
}

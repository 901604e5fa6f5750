import type { Accounts, Sessions } from '../store.ts';
import type { Database } from './database.ts';
import { type Row, toAccount, toProfile, USER_COLUMNS, words } from './rows.ts';

export function accounts(db: Database): Accounts {
  const find = db.prepare(
    `SELECT ${USER_COLUMNS}, u.password_hash, u.disabled
     FROM login_names n JOIN users u ON u.sub = n.sub WHERE n.login_name = ?`,
  );
  return {
    findAccount: loginName =>
      db.read(() => {
        const row = find.get(loginName) as Row | undefined;
        return row && toAccount(row);
      }),
  };
}

/** A session used again within this many seconds is not written again. */
const IDLE_STEP = 60;

export function sessions(db: Database): Sessions {
  const spend = db.prepare('INSERT INTO spent_logins (pending_id, expires_at) VALUES (?, ?) ON CONFLICT DO NOTHING');
  const insert = db.prepare(
    `INSERT INTO sessions (id_hash, sid, sub, auth_time, amr, opened_by, idle_expires_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const find = db.prepare(
    `SELECT s.sid, s.auth_time, s.amr, s.opened_by, s.idle_expires_at, ${USER_COLUMNS}
     FROM sessions s JOIN users u ON u.sub = s.sub
     WHERE s.id_hash = ? AND s.expires_at > ? AND s.idle_expires_at > ? AND u.disabled = 0`,
  );
  const touch = db.prepare('UPDATE sessions SET idle_expires_at = min(?, expires_at) WHERE id_hash = ?');
  const remove = db.prepare('DELETE FROM sessions WHERE id_hash = ?');

  return {
    openSession: (session, now) =>
      db.write(() => {
        if (spend.run(session.openedBy, now + SPENT_LOGIN_KEPT).changes === 0) return 'replayed';
        if (session.replaces) remove.run(session.replaces);
        insert.run(
          session.idHash,
          session.sid,
          session.sub,
          session.authTime,
          session.amr.join(' '),
          session.openedBy,
          session.idleExpiresAt,
          session.expiresAt,
        );
        return 'opened';
      }),
    useSession: async (idHash, now, idleExpiresAt) => {
      const row = await db.read(() => find.get(idHash, now, now) as Row | undefined);
      if (!row) return undefined;
      if (idleExpiresAt - (row.idle_expires_at as number) >= IDLE_STEP) {
        await db.write(() => touch.run(idleExpiresAt, idHash));
      }
      return {
        sid: row.sid as string,
        authTime: row.auth_time as number,
        amr: words(row.amr),
        openedBy: row.opened_by as string,
        user: toProfile(row),
      };
    },
    closeSession: idHash =>
      db.write(() => {
        remove.run(idHash);
      }),
  };
}

/** Longer than any login page lives, so that its form cannot be sent again. */
const SPENT_LOGIN_KEPT = 3600;

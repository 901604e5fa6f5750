import { CODE_KEPT } from '../retention.ts';
import type { Database } from './database.ts';
import { keyOfEnd } from './key-of-end.ts';

/** Small batches, each a commit of its own: a request never waits for more than one of them. */
export function purger(db: Database): (now: number, limit: number) => Promise<number> {
  const remove = (table: string, key: string, ended: string) =>
    db.prepare(
      `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${ended} < ? ORDER BY ${ended} LIMIT ?)`,
    );
  const clientsOfSessions = db.prepare(
    `DELETE FROM session_clients WHERE sid IN
       (SELECT sid FROM sessions WHERE idle_expires_at < ? ORDER BY idle_expires_at LIMIT ?)`,
  );
  const kinds = [
    { statement: remove('access_tokens', 'token_hash, app', 'token_hash'), kept: 0, end: keyOfEnd },
    { statement: remove('refresh_tokens', 'token_hash, app', 'token_hash'), kept: 0, end: keyOfEnd },
    { statement: remove('codes', 'code_hash, app', 'code_hash'), kept: CODE_KEPT, end: keyOfEnd },
    { statement: remove('grants', 'app, grant_id', 'expires_at'), kept: CODE_KEPT },
    { statement: remove('revoked_grants', 'app, grant_id', 'expires_at'), kept: CODE_KEPT },
    { statement: clientsOfSessions, kept: 0 },
    { statement: remove('sessions', 'id_hash', 'idle_expires_at'), kept: 0 },
    { statement: remove('ended_sessions', 'sid', 'expires_at'), kept: 0 },
    { statement: remove('spent_logins', 'pending_id', 'expires_at'), kept: 0 },
  ];
  return async (now, limit) => {
    let gone = 0;
    for (const { statement, kept, end = itself } of kinds) {
      gone += await db.write(() => Number(statement.run(end(now - kept), limit).changes));
    }
    return gone;
  };
}

const itself = (time: number) => time;

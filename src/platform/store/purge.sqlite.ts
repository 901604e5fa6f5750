import { keyOfEnd } from '../../oauth/token/key-of-end.sqlite.ts';
import type { Store } from '../../store.ts';
import {
  CODE_RETENTION_SECONDS,
  DELIVERY_RETENTION_SECONDS,
  DEVICE_RETENTION_SECONDS,
  MAIL_RETENTION_SECONDS,
  NODE_RETENTION_SECONDS,
  REFUSAL_RETENTION_SECONDS,
  USED_ID_RETENTION_SECONDS,
} from './retention.ts';
import type { Database } from './sqlite/database.ts';

/** Small batches, each a commit of its own: a request never waits for more than one of them. */
export function purger(db: Database): Pick<Store, 'purge' | 'lastCompletePurge'> {
  const remove = (table: string, key: string, ended: string) =>
    db.prepare(
      `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${ended} < ? ORDER BY ${ended} LIMIT ?)`,
    );
  const clientsOfSessions = db.prepare(
    `DELETE FROM session_clients WHERE sid IN
       (SELECT sid FROM sessions WHERE idle_expires_at < ? ORDER BY idle_expires_at LIMIT ?)`,
  );
  const kinds = [
    { statement: remove('access_tokens', 'token_hash, app', 'token_hash'), retentionSeconds: 0, end: keyOfEnd },
    { statement: remove('refresh_tokens', 'token_hash, app', 'token_hash'), retentionSeconds: 0, end: keyOfEnd },
    {
      statement: remove('codes', 'code_hash, app', 'code_hash'),
      retentionSeconds: CODE_RETENTION_SECONDS,
      end: keyOfEnd,
    },
    { statement: remove('used_ids', 'key', 'key'), retentionSeconds: USED_ID_RETENTION_SECONDS, end: keyOfEnd },
    { statement: remove('grants', 'app, grant_id', 'expires_at'), retentionSeconds: CODE_RETENTION_SECONDS },
    { statement: remove('revoked_grants', 'app, grant_id', 'expires_at'), retentionSeconds: CODE_RETENTION_SECONDS },
    { statement: clientsOfSessions, retentionSeconds: 0 },
    { statement: remove('sessions', 'id_hash', 'idle_expires_at'), retentionSeconds: 0 },
    { statement: remove('ended_sessions', 'sid', 'expires_at'), retentionSeconds: 0 },
    { statement: remove('withdrawn_consents', 'sub, app, client_id', 'expires_at'), retentionSeconds: 0 },
    { statement: remove('spent_logins', 'pending_id', 'expires_at'), retentionSeconds: 0 },
    { statement: remove('second_factor_attempts', 'sign_in', 'expires_at'), retentionSeconds: 0 },
    { statement: remove('failed_attempts', 'key', 'full_at'), retentionSeconds: 0 },
    { statement: remove('trusted_browsers', 'id', 'expires_at'), retentionSeconds: 0 },
    { statement: remove('idempotent_answers', 'caller, key', 'expires_at'), retentionSeconds: 0 },
    { statement: remove('refusals', 'request_id', 'time'), retentionSeconds: REFUSAL_RETENTION_SECONDS },
    { statement: remove('statistics', 'app, step, time', 'expires_at'), retentionSeconds: 0 },
    { statement: remove('statistics_writers', 'writer', 'expires_at'), retentionSeconds: 0 },
    { statement: remove('nodes', 'host, port', 'seen_at'), retentionSeconds: NODE_RETENTION_SECONDS },
    { statement: remove('mails', 'id', 'expires_at'), retentionSeconds: MAIL_RETENTION_SECONDS },
    { statement: remove('password_resets', 'sub', 'expires_at'), retentionSeconds: 0 },
    { statement: remove('email_confirmations', 'id', 'expires_at'), retentionSeconds: 0 },
    { statement: remove('address_mails', 'address', 'expires_at'), retentionSeconds: 0 },
    { statement: remove('pushed_requests', 'id_hash', 'expires_at'), retentionSeconds: 0 },
    { statement: remove('token_exchanges', 'app, token_hash', 'expires_at'), retentionSeconds: 0 },
    {
      statement: remove('device_authorizations', 'device_hash', 'expires_at'),
      retentionSeconds: DEVICE_RETENTION_SECONDS,
    },
    { statement: remove('email_undos', 'token_hash', 'expires_at'), retentionSeconds: 0 },
    { statement: remove('webhook_deliveries', 'id', 'finished_at'), retentionSeconds: DELIVERY_RETENTION_SECONDS },
  ];
  const noteComplete = db.prepare('UPDATE purge_state SET completed_at = ?');
  const lastComplete = db.prepare('SELECT completed_at FROM purge_state');
  return {
    purge: async (now, limit) => {
      const counts: number[] = [];
      for (const { statement, retentionSeconds, end = itself } of kinds) {
        counts.push(await db.write(() => Number(statement.run(end(now - retentionSeconds), limit).changes)));
      }
      const complete = counts.every(count => count < limit);
      if (complete) await db.write(() => noteComplete.run(now));
      return { deleted: counts.reduce((sum, count) => sum + count, 0), complete, postponed: [] };
    },
    lastCompletePurge: () => db.read(() => lastComplete.get()?.completed_at as number),
  };
}

const itself = (time: number) => time;

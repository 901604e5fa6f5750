import { prepareRecordEvent } from '../../audit/events/sqlite.ts';
import type { Database } from '../../platform/store/sqlite/database.ts';
import { NOT_REVOKED, prepareClientCheck } from '../token/grants.sqlite.ts';
import type { TokenExchanges } from './store.ts';

/** A client that acts for itself must not be taken for a user (oauth/token/subject.rules.ts); the login of an exchanged token says which it is. */
const IS_CLIENT = '(t.auth_time IS NULL OR t.sub = t.client_id)';
const SUBJECT_EXISTS = `CASE WHEN ${IS_CLIENT} THEN NOT EXISTS (SELECT 1 FROM users u WHERE u.sub = t.sub)
  ELSE EXISTS (SELECT 1 FROM users u WHERE u.sub = t.sub AND u.disabled = 0) END`;

export function tokenExchanges(db: Database): TokenExchanges {
  const isClient = prepareClientCheck(db);
  const add = db.prepare(
    `INSERT INTO access_tokens (app, token_hash, grant_id, client_id, sub, scope, claims, issued_at, expires_at,
       auth_time, amr, audience, exchange)
     SELECT t.app, ?3, t.grant_id, ?4, t.sub, ?5, NULL, ?6, ?7, iif(${IS_CLIENT}, NULL, t.auth_time),
       iif(${IS_CLIENT}, NULL, t.amr), ?8, ?9
     FROM access_tokens t WHERE t.app = ?1 AND t.token_hash = ?2 AND t.expires_at > ?6 AND t.expires_at >= ?7
       AND ${NOT_REVOKED} AND ${SUBJECT_EXISTS}`,
  );
  const note = db.prepare(
    'INSERT INTO token_exchanges (app, token_hash, subject_hash, client_id, expires_at) VALUES (?, ?, ?, ?, ?)',
  );
  const record = prepareRecordEvent(db);
  return {
    addExchangedToken: (app, subject, token, event) =>
      db.write(() => {
        const { hash, clientId, scope, issuedAt, expiresAt, audience, exchange } = token;
        if (!isClient(app, clientId)) return 'clientGone';
        const values = [clientId, scope.join(' '), issuedAt, expiresAt, audience, JSON.stringify(exchange)];
        if (Number(add.run(app, subject, hash, ...values).changes) === 0) return 'subjectGone';
        note.run(app, hash, subject, clientId, expiresAt);
        if (event) record(event);
        return 'issued';
      }),
  };
}

/** Deletes the tokens that came from the exchanges that meet the condition, and those that these were exchanged for. */
export function prepareDropExchanged(db: Database, condition: 'subject_hash = ?2' | 'client_id = ?2') {
  const drop = db.prepare(
    `DELETE FROM access_tokens WHERE app = ?1 AND token_hash IN (
       WITH RECURSIVE derived (hash) AS (
         SELECT token_hash FROM token_exchanges WHERE app = ?1 AND ${condition}
         UNION SELECT e.token_hash FROM token_exchanges e JOIN derived d ON e.app = ?1 AND e.subject_hash = d.hash
       ) SELECT hash FROM derived)`,
  );
  return (app: string, which: string | Uint8Array): void => {
    drop.run(app, which);
  };
}

import { DatabaseSync } from 'node:sqlite';
import { GRANT_SLACK_SECONDS } from '../../../src/platform/store/retention.ts';
import { APP, CLIENT_ID, SCOPE } from '../../fixture.ts';
import type { AccessRow, AccessUserRow, FloorStore, FloorTokens } from './store.ts';

/** The statements of the sqlite.ts files, and nothing around them: no verdicts, no outcomes, no faults. */
const NOT_REVOKED = 'NOT EXISTS (SELECT 1 FROM revoked_grants r WHERE r.app = t.app AND r.grant_id = t.grant_id)';
const ACCESS = `SELECT t.client_id, t.sub, t.scope, t.issued_at, t.expires_at, t.audience, t.auth_time, t.amr, t.exchange
  FROM access_tokens t WHERE t.app = ?1 AND t.token_hash = ?2 AND t.expires_at > ?3 AND ${NOT_REVOKED}
    AND EXISTS (SELECT 1 FROM clients WHERE app = ?1 AND client_id = ?4)`;
const ACCESS_WITH_USER = `SELECT t.client_id, t.sub, t.scope, t.issued_at, t.expires_at, t.audience, t.claims, u.username, u.nickname,
    u.picture, u.email, u.email_verified, u.phone_number, u.phone_number_verified, u.updated_at, u.standard_claims,
    u.membership, t.auth_time, t.amr
  FROM access_tokens t JOIN users u ON u.sub = t.sub AND u.disabled = 0
  WHERE t.app = ? AND t.token_hash = ? AND t.expires_at > ? AND ${NOT_REVOKED}`;
const FIND_CODE = `SELECT c.sub, c.auth_time, c.amr, c.claims, c.nonce, c.redirect_uri, c.code_challenge, c.expires_at,
    c.grant_id, u.username, u.nickname, u.picture, u.email, u.email_verified, u.phone_number, u.phone_number_verified,
    u.updated_at, u.standard_claims, EXISTS (SELECT 1 FROM ended_sessions e WHERE e.sid = c.sid)
  FROM codes c LEFT JOIN users u ON u.sub = c.sub AND u.disabled = 0 WHERE c.app = ? AND c.code_hash = ?`;
const SPEND = 'UPDATE codes SET grant_id = ? WHERE app = ? AND code_hash = ?';
const ADD_GRANT = `INSERT INTO grants (app, grant_id, client_id, sub, scope, auth_time, amr, sid, expires_at, claims, started_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const ADD_ACCESS = `INSERT INTO access_tokens (app, token_hash, grant_id, client_id, sub, scope, claims, issued_at, expires_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const ADD_REFRESH =
  'INSERT INTO refresh_tokens (app, token_hash, grant_id, issued_at, expires_at) VALUES (?, ?, ?, ?, ?)';
const FIND_REFRESH = `SELECT g.grant_id, g.sub, t.expires_at, t.rotated_at, t.successor_hash, g.client_id, g.scope,
    g.auth_time, g.amr, g.sid, g.claims, g.expires_at, u.username, u.nickname, u.picture, u.email, u.email_verified,
    u.phone_number, u.phone_number_verified, u.updated_at, u.standard_claims
  FROM refresh_tokens t JOIN grants g ON g.app = t.app AND g.grant_id = t.grant_id AND g.revoked_at IS NULL
    JOIN users u ON u.sub = g.sub
  WHERE t.app = ? AND t.token_hash = ?`;
const SUPERSEDE = 'UPDATE refresh_tokens SET rotated_at = ?, successor_hash = ? WHERE app = ? AND token_hash = ?';
/** As many turns of the event loop as src/platform/store/sqlite/commit-group.ts waits while more writes arrive. */
const MOST_TURNS = 4;

export function openSqlite(path: string): FloorStore {
  const db = new DatabaseSync(path, { enableForeignKeyConstraints: true });
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    PRAGMA wal_autocheckpoint = 8000; PRAGMA cache_size = -8000`);
  const prepare = (sql: string) => {
    const statement = db.prepare(sql);
    statement.setReturnArrays(true);
    return statement;
  };
  const access = prepare(ACCESS);
  const accessWithUser = prepare(ACCESS_WITH_USER);
  const findCode = prepare(FIND_CODE);
  const spend = prepare(SPEND);
  const addGrant = prepare(ADD_GRANT);
  const addAccess = prepare(ADD_ACCESS);
  const addRefresh = prepare(ADD_REFRESH);
  const findRefresh = prepare(FIND_REFRESH);
  const supersede = prepare(SUPERSEDE);
  const { read, write } = transactions(db);

  return {
    access: (key, done) => {
      read();
      done(access.get(APP, key, seconds(), CLIENT_ID) as unknown as AccessRow | undefined);
    },
    accessWithUser: (key, done) => {
      read();
      done(accessWithUser.get(APP, key, seconds()) as unknown as AccessUserRow | undefined);
    },
    redeem: (key, tokens, done) =>
      write(() => {
        const row = findCode.get(APP, key) as unknown as [sub: string, authTime: number, amr: string] | undefined;
        if (!row) return undefined;
        const [sub, authTime, amr] = row;
        const { grantId, now, refreshEnd } = tokens;
        spend.run(grantId, APP, key);
        addGrant.run(
          APP,
          grantId,
          CLIENT_ID,
          sub,
          SCOPE,
          authTime,
          amr,
          null,
          refreshEnd + GRANT_SLACK_SECONDS,
          null,
          now,
        );
        addAccess.run(APP, tokens.access, grantId, CLIENT_ID, sub, SCOPE, null, now, tokens.accessEnd);
        addRefresh.run(APP, tokens.refresh, grantId, now, refreshEnd);
        return sub;
      }, done),
    rotate: (key, tokens: FloorTokens, done) =>
      write(() => {
        const row = findRefresh.get(APP, key) as unknown as [grantId: string, sub: string] | undefined;
        if (!row) return undefined;
        const [grantId, sub] = row;
        const { now } = tokens;
        supersede.run(now, tokens.refresh, APP, key);
        addRefresh.run(APP, tokens.refresh, grantId, now, tokens.refreshEnd);
        addAccess.run(APP, tokens.access, grantId, CLIENT_ID, sub, SCOPE, null, now, tokens.accessEnd);
        return sub;
      }, done),
  };
}

function seconds(): number {
  return Math.floor(Date.now() / 1000);
}

type Work = () => string | undefined;
type Done = (sub: string | undefined) => void;

/** Reads of a turn share a transaction, and writes of a few turns a commit, as in src/platform/store/sqlite; answers go out after it. */
function transactions(db: DatabaseSync): { read(): void; write(work: Work, done: Done): void } {
  const begin = db.prepare('BEGIN');
  const beginWriting = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  let reading = false;
  let waiting: [Work, Done][] = [];
  const endReading = () => {
    if (!reading) return;
    reading = false;
    commit.run();
  };
  const flush = () => {
    const jobs = waiting;
    waiting = [];
    endReading();
    beginWriting.run();
    const subs = jobs.map(([work]) => work());
    commit.run();
    for (const [index, [, done]] of jobs.entries()) done(subs[index]);
  };
  const whenNoMoreCome = (before: number, turns: number) =>
    setImmediate(() => {
      if (waiting.length > before && turns > 1) whenNoMoreCome(waiting.length, turns - 1);
      else flush();
    });
  return {
    read: () => {
      if (reading) return;
      begin.run();
      reading = true;
      setImmediate(endReading);
    },
    write: (work, done) => {
      if (waiting.push([work, done]) === 1) whenNoMoreCome(1, MOST_TURNS);
    },
  };
}

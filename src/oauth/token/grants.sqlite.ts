import { GRANT_SLACK_SECONDS } from '../../platform/store/retention.ts';
import type { Database } from '../../platform/store/sqlite/database.ts';
import { fromResources } from './resource-cells.store.ts';
import { fromClaims } from './rows.store.ts';
import { isNarrower } from './scope.rules.ts';
import type { IssueOutcome, NewTokens, TokenFamily } from './store.ts';

/** Statements for token families (the table grants) and their tokens, which the other files share. All run inside a write. */

/** Does not read the user: disabling a user revokes the user's grants in the same transaction (directory/users/changes.queries.ts). */
export const LIVE_GRANT = 'JOIN grants g ON g.app = t.app AND g.grant_id = t.grant_id AND g.revoked_at IS NULL';

/** revoked_grants holds the few grants that were revoked; a trigger on grants fills it. */
export const NOT_REVOKED =
  'NOT EXISTS (SELECT 1 FROM revoked_grants r WHERE r.app = t.app AND r.grant_id = t.grant_id)';

/** Writes a new family: its row in grants and its first tokens. */
export function prepareAddFamily(db: Database) {
  const insertGrant = db.prepare(
    `INSERT INTO grants (app, grant_id, client_id, sub, scope, auth_time, amr, sid, expires_at, claims, started_at,
       resources)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const addAccess = prepareAddAccessToken(db);
  const addRefresh = prepareAddRefreshToken(db);
  return (app: string, family: TokenFamily, tokens: NewTokens): void => {
    const end = Math.max(tokens.access.expiresAt, tokens.refresh?.expiresAt ?? 0) + GRANT_SLACK_SECONDS;
    insertGrant.run(
      app,
      tokens.grantId,
      family.clientId,
      family.sub,
      family.scope.join(' '),
      family.authTime,
      family.amr.join(' '),
      family.sid ?? null,
      end,
      fromClaims(family.claims),
      tokens.issuedAt,
      fromResources(family),
    );
    addAccess(app, tokens.grantId, family, tokens);
    if (tokens.refresh) addRefresh(app, tokens.grantId, tokens.refresh, tokens.issuedAt);
  };
}

export function prepareAddAccessToken(db: Database) {
  const insert = db.prepare(
    `INSERT INTO access_tokens (app, token_hash, grant_id, client_id, sub, scope, claims, issued_at, expires_at,
       auth_time, amr, audience)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  return (
    app: string,
    grantId: string,
    { clientId, sub, claims, scope: granted, authTime, amr }: TokenFamily,
    { access, issuedAt }: Pick<NewTokens, 'access' | 'issuedAt'>,
    narrowed?: readonly string[],
  ) => {
    const { audience = null } = access;
    const scope = access.scope ?? narrowed ?? granted;
    // A narrowed token gets no single claims: userinfo gives what its scope covers anyway, and it must not get more.
    const single = audience !== null || isNarrower(scope, granted) ? null : fromClaims(claims);
    const token = [app, access.hash, grantId, clientId, sub, scope.join(' '), single, issuedAt, access.expiresAt];
    insert.run(...token, authTime, amr.join(' '), audience);
  };
}

export function prepareAddRefreshToken(db: Database) {
  const insert = db.prepare(
    'INSERT INTO refresh_tokens (app, token_hash, grant_id, issued_at, expires_at) VALUES (?, ?, ?, ?, ?)',
  );
  return (app: string, grantId: string, token: { hash: Uint8Array; expiresAt: number }, issuedAt: number) => {
    insert.run(app, token.hash, grantId, issuedAt, token.expiresAt);
  };
}

/** False: it was revoked before. */
export function prepareRevokeGrant(db: Database) {
  const update = db.prepare('UPDATE grants SET revoked_at = ? WHERE app = ? AND grant_id = ? AND revoked_at IS NULL');
  return (app: string, grantId: string, now: number): boolean => update.run(now, app, grantId).changes > 0;
}

/**
 * Runs a write that issues something to a client, unless the client was deleted or the session has ended since they were read.
 */
export function prepareAuthorizedWrite(db: Database) {
  const isClient = prepareClientCheck(db);
  const noteClient = prepareNoteSessionClient(db);
  return (app: string, family: TokenFamily, write: () => void): IssueOutcome => {
    if (!isClient(app, family.clientId)) return 'clientGone';
    if (noteClient(app, family)) write();
    return 'issued';
  };
}

/**
 * False if the user was disabled, or got another password, after the password was checked. No row is written then, so the issued
 * token never works, also if the user is enabled again.
 */
export function prepareLoginCheck(db: Database) {
  const find = db.prepare(
    `SELECT 1 FROM users WHERE sub = ?1 AND disabled = 0 AND (?2 IS NULL OR
       EXISTS (SELECT 1 FROM credentials WHERE sub = ?1 AND id = 'password' AND data = ?2))`,
  );
  return (sub: string, passwordHash: string | undefined): boolean => find.get(sub, passwordHash ?? null) !== undefined;
}

export function prepareClientCheck(db: Database) {
  const find = db.prepare('SELECT 1 FROM clients WHERE app = ? AND client_id = ?');
  return (app: string, clientId: string): boolean => find.get(app, clientId) !== undefined;
}

/** Whether the caller ?4, unless NULL, is a client of the application ?1: it may have been deleted after it authenticated. */
export const CALLER_IS_CLIENT = '(?4 IS NULL OR EXISTS (SELECT 1 FROM clients WHERE app = ?1 AND client_id = ?4))';

/** Records that a client takes part in a session: it gets a logout notice when the session ends. False: the session has ended. */
export function prepareNoteSessionClient(db: Database) {
  const ended = db.prepare('SELECT 1 FROM ended_sessions WHERE sid = ?');
  const insert = db.prepare('INSERT OR IGNORE INTO session_clients (sid, app, client_id) VALUES (?, ?, ?)');
  return (app: string, { sid, clientId }: Pick<TokenFamily, 'sid' | 'clientId'>): boolean => {
    if (sid === undefined) return true;
    if (ended.get(sid)) return false;
    insert.run(sid, app, clientId);
    return true;
  };
}

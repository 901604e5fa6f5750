import type { Profile } from '../../protocol/claims.ts';
import type { CodeFacts } from '../../protocol/code-exchange.ts';
import { judgeCode } from '../../protocol/code-exchange.ts';
import { judgeRefresh, type RefreshFacts } from '../../protocol/refresh-policy.ts';
import type { Scope } from '../../protocol/scope.ts';
import type {
  Grant,
  LiveToken,
  NewTokens,
  RedeemOutcome,
  RotateOutcome,
  Rotation,
  Tokens,
  TokenUser,
} from '../store.ts';
import type { Database } from './database.ts';
import {
  fromClaims,
  optional,
  type Row,
  toClaims,
  toGrant,
  toLiveToken,
  toProfile,
  USER_COLUMNS,
  words,
} from './rows.ts';

/** How much longer than its tokens a grant is kept. */
const GRANT_SLACK = 86_400;

/** Disabling a user revokes their grants in the same transaction (registry.ts), so these alone tell whether one counts. */
const NOT_REVOKED = 'NOT EXISTS (SELECT 1 FROM revoked_grants r WHERE r.app = t.app AND r.grant_id = t.grant_id)';
const LIVE_GRANT = 'JOIN grants g ON g.app = t.app AND g.grant_id = t.grant_id AND g.revoked_at IS NULL';

export function tokens(db: Database): Tokens {
  const codes = codeOperations(db);
  const refreshes = refreshOperations(db);
  const addTokens = tokenWriter(db);
  const noteClient = sessionClientWriter(db);
  const isEnabled = db.prepare('SELECT 1 FROM users WHERE sub = ? AND disabled = 0');
  const access = db.prepare(
    `SELECT t.client_id, t.sub, t.scope, t.issued_at, t.expires_at
     FROM access_tokens t WHERE t.app = ? AND t.token_hash = ? AND t.expires_at > ? AND ${NOT_REVOKED}`,
  );
  const refresh = db.prepare(
    `SELECT g.client_id, g.sub, g.scope, t.issued_at, t.expires_at
     FROM refresh_tokens t ${LIVE_GRANT}
     WHERE t.app = ? AND t.token_hash = ? AND t.expires_at > ? AND t.rotated_at IS NULL`,
  );
  const accessWithUser = db.prepare(
    `SELECT t.client_id, t.sub, t.scope, t.issued_at, t.expires_at, t.claims, u.username, u.nickname, u.picture, u.email,
            u.email_verified, u.phone_number, u.phone_number_verified, u.updated_at
     FROM access_tokens t JOIN users u ON u.sub = t.sub AND u.disabled = 0
     WHERE t.app = ? AND t.token_hash = ? AND t.expires_at > ? AND ${NOT_REVOKED}`,
  );
  // The two that are asked most: rows as arrays cost half of what objects do.
  access.setReturnArrays(true);
  accessWithUser.setReturnArrays(true);
  const dropAccess = db.prepare('DELETE FROM access_tokens WHERE app = ? AND token_hash = ? AND client_id = ?');
  const revokeFamily = db.prepare(
    `UPDATE grants SET revoked_at = ? WHERE app = ? AND client_id = ? AND revoked_at IS NULL
       AND grant_id = (SELECT grant_id FROM refresh_tokens WHERE app = ? AND token_hash = ?)`,
  );

  return {
    addCode: codes.add,
    redeemCode: codes.redeem,
    addGrant: (app, grant, tokens) =>
      db.write(() => {
        // Disabled since the password was checked: what is handed out is dead on arrival.
        if (!isEnabled.get(grant.sub)) return;
        addTokens(app, grant, tokens);
        noteClient(app, grant);
      }),
    rotateRefreshToken: refreshes.rotate,
    findAccessToken: (app, hash, now) =>
      db.read(() => {
        const row = access.get(app, hash, now) as unknown as AccessRow | undefined;
        return row && fromAccessRow(row);
      }),
    findRefreshToken: (app, hash, now) =>
      db.read(() => {
        const row = refresh.get(app, hash, now) as Row | undefined;
        return row && toLiveToken(row);
      }),
    findTokenUser: (app, hash, now) =>
      db.read(() => {
        const row = accessWithUser.get(app, hash, now) as unknown as AccessUserRow | undefined;
        return row && fromAccessUserRow(row);
      }),
    revokeAccessToken: (app, hash, clientId) =>
      db.write(() => {
        dropAccess.run(app, hash, clientId);
      }),
    revokeRefreshToken: (app, hash, clientId, now) =>
      db.write(() => {
        revokeFamily.run(now, app, clientId, app, hash);
      }),
  };
}

function codeOperations(db: Database) {
  const insert = db.prepare(
    `INSERT INTO codes (app, code_hash, client_id, sub, scope, auth_time, amr, sid, nonce, redirect_uri, code_challenge,
                        client_authentication_required, expires_at, claims)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const find = db.prepare(
    `SELECT ${USER_COLUMNS}, u.sub IS NULL AS ownerless, c.*
     FROM codes c LEFT JOIN users u ON u.sub = c.sub AND u.disabled = 0
     WHERE c.app = ? AND c.code_hash = ?`,
  );
  const noteClient = sessionClientWriter(db);
  const spend = db.prepare('UPDATE codes SET grant_id = ? WHERE app = ? AND code_hash = ?');
  const revoke = revoker(db);
  const addTokens = tokenWriter(db);

  const redeem: Tokens['redeemCode'] = (app, codeHash, presented, tokens) =>
    db.write((): RedeemOutcome => {
      const row = find.get(app, codeHash) as Row | undefined;
      if (!row) return { kind: 'unknown' };
      const verdict = judgeCode(toCodeFacts(row), presented, tokens.issuedAt);
      if (verdict === 'replayed') revoke(app, row.grant_id as string, tokens.issuedAt);
      if (verdict !== 'redeem') return { kind: 'refused', verdict };
      if (row.ownerless === 1) return { kind: 'refused', verdict: 'invalid' };
      const grant = toGrant(row);
      spend.run(tokens.grantId, app, codeHash);
      addTokens(app, grant, tokens);
      return { kind: 'redeemed', grant, user: toProfile(row), nonce: optional(row.nonce) };
    });

  const add: Tokens['addCode'] = (app, code) =>
    db.write(() => {
      const { grant } = code;
      insert.run(
        app,
        code.codeHash,
        grant.clientId,
        grant.sub,
        grant.scope.join(' '),
        grant.authTime,
        grant.amr.join(' '),
        grant.sid ?? null,
        code.nonce ?? null,
        code.redirectUri,
        code.codeChallenge ?? null,
        code.clientAuthenticationRequired ? 1 : 0,
        code.expiresAt,
        fromClaims(grant.claims),
      );
      noteClient(app, grant);
    });
  return { add, redeem };
}

function refreshOperations(db: Database) {
  const find = db.prepare(
    `SELECT t.expires_at AS token_expires_at, t.rotated_at, t.successor_hash,
            g.grant_id, g.client_id, g.sub, g.scope, g.auth_time, g.amr, g.sid, g.claims, g.expires_at
     FROM refresh_tokens t ${LIVE_GRANT} WHERE t.app = ? AND t.token_hash = ?`,
  );
  const findUser = db.prepare(`SELECT ${USER_COLUMNS} FROM users u WHERE u.sub = ?`);
  const userFor = ({ sub, claims }: Grant): Profile | undefined =>
    claims.id_token.length === 0 ? undefined : toProfile(findUser.get(sub) as Row);
  const supersede = db.prepare(
    'UPDATE refresh_tokens SET rotated_at = ?, successor_hash = ? WHERE app = ? AND token_hash = ?',
  );
  const setEnd = db.prepare('UPDATE grants SET expires_at = ? WHERE app = ? AND grant_id = ?');
  /** With some slack, so that a grant refreshed every hour is not rewritten, with its index, every hour. */
  const prolong = (app: string, row: Row, end: number): void => {
    if ((row.expires_at as number) < end) setEnd.run(end + GRANT_SLACK, app, row.grant_id as string);
  };
  const addAccess = accessWriter(db);
  const addRefresh = refreshWriter(db);
  const revoke = revoker(db);

  const rotate: Tokens['rotateRefreshToken'] = (app, rotation) =>
    db.write((): RotateOutcome => {
      const row = find.get(app, rotation.tokenHash) as Row | undefined;
      if (!row) return { kind: 'refused', verdict: 'invalid' };
      const grant = toGrant(row);
      const verdict = judgeRefresh(toRefreshFacts(row, grant), rotation.presented, rotation.issuedAt);
      switch (verdict) {
        case 'rotate':
          return succeed(app, row, grant, rotation);
        case 'repeat':
          addAccess(app, row.grant_id as string, grant, rotation, rotation.presented.scope);
          prolong(app, row, rotation.access.expiresAt);
          return { kind: 'rotated', grant, user: userFor(grant), successor: row.successor_hash as Uint8Array };
        case 'keep':
          addAccess(app, row.grant_id as string, grant, rotation, rotation.presented.scope);
          prolong(app, row, rotation.access.expiresAt);
          return { kind: 'kept', grant, user: userFor(grant) };
        case 'reused':
          revoke(app, row.grant_id as string, rotation.issuedAt);
          return { kind: 'refused', verdict };
        default:
          return { kind: 'refused', verdict };
      }
    });

  const succeed = (app: string, row: Row, grant: Grant, rotation: Rotation): RotateOutcome => {
    const grantId = row.grant_id as string;
    const successor = rotation.successors[0] as Uint8Array;
    supersede.run(rotation.issuedAt, successor, app, rotation.tokenHash);
    addRefresh(app, grantId, { hash: successor, expiresAt: rotation.successorExpiresAt }, rotation.issuedAt);
    addAccess(app, grantId, grant, rotation, rotation.presented.scope);
    prolong(app, row, Math.max(rotation.access.expiresAt, rotation.successorExpiresAt));
    return { kind: 'rotated', grant, user: userFor(grant), successor };
  };
  return { rotate };
}

/** A new family: the grant and its first tokens. Runs inside a write. */
function tokenWriter(db: Database) {
  const insertGrant = db.prepare(
    `INSERT INTO grants (app, grant_id, client_id, sub, scope, auth_time, amr, sid, expires_at, claims)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const addAccess = accessWriter(db);
  const addRefresh = refreshWriter(db);
  return (app: string, grant: Grant, tokens: NewTokens): void => {
    const end = Math.max(tokens.access.expiresAt, tokens.refresh?.expiresAt ?? 0) + GRANT_SLACK;
    insertGrant.run(
      app,
      tokens.grantId,
      grant.clientId,
      grant.sub,
      grant.scope.join(' '),
      grant.authTime,
      grant.amr.join(' '),
      grant.sid ?? null,
      end,
      fromClaims(grant.claims),
    );
    addAccess(app, tokens.grantId, grant, tokens);
    if (tokens.refresh) addRefresh(app, tokens.grantId, tokens.refresh, tokens.issuedAt);
  };
}

function accessWriter(db: Database) {
  const insert = db.prepare(
    `INSERT INTO access_tokens (app, token_hash, grant_id, client_id, sub, scope, claims, issued_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  return (
    app: string,
    grantId: string,
    { clientId, sub, claims, scope: granted }: Grant,
    { access, issuedAt }: Pick<NewTokens, 'access' | 'issuedAt'>,
    narrowed?: readonly string[],
  ) => {
    const scope = (narrowed ?? granted).join(' ');
    insert.run(app, access.hash, grantId, clientId, sub, scope, fromClaims(claims), issuedAt, access.expiresAt);
  };
}

function refreshWriter(db: Database) {
  const insert = db.prepare(
    'INSERT INTO refresh_tokens (app, token_hash, grant_id, issued_at, expires_at) VALUES (?, ?, ?, ?, ?)',
  );
  return (app: string, grantId: string, token: { hash: Uint8Array; expiresAt: number }, issuedAt: number) => {
    insert.run(app, token.hash, grantId, issuedAt, token.expiresAt);
  };
}

function revoker(db: Database) {
  const update = db.prepare('UPDATE grants SET revoked_at = ? WHERE app = ? AND grant_id = ? AND revoked_at IS NULL');
  return (app: string, grantId: string, now: number): void => {
    update.run(now, app, grantId);
  };
}

/** Which clients take part in a browser session: they are told when it ends. */
function sessionClientWriter(db: Database) {
  const insert = db.prepare('INSERT OR IGNORE INTO session_clients (sid, app, client_id) VALUES (?, ?, ?)');
  return (app: string, { sid, clientId }: Grant): void => {
    if (sid !== undefined) insert.run(sid, app, clientId);
  };
}

function toCodeFacts(row: Row): CodeFacts {
  return {
    clientId: row.client_id as string,
    redirectUri: row.redirect_uri as string,
    codeChallenge: optional(row.code_challenge),
    clientAuthenticationRequired: row.client_authentication_required === 1,
    expiresAt: row.expires_at as number,
    redeemed: row.grant_id !== null,
  };
}

function toRefreshFacts(row: Row, { clientId, scope }: Grant): RefreshFacts {
  return {
    clientId,
    scope,
    expiresAt: row.token_expires_at as number,
    rotatedAt: row.rotated_at === null ? undefined : (row.rotated_at as number),
  };
}

type Text = string | null;
type AccessRow = [clientId: string, sub: string, scope: string, issuedAt: number, expiresAt: number];
type AccessUserRow = [
  ...AccessRow,
  claims: Text,
  username: string,
  nickname: Text,
  picture: Text,
  email: Text,
  emailVerified: number,
  phoneNumber: Text,
  phoneNumberVerified: number,
  updatedAt: number,
];

function fromAccessRow([clientId, sub, scope, issuedAt, expiresAt]: AccessRow | AccessUserRow): LiveToken {
  return { clientId, sub, scope: words(scope) as Scope[], issuedAt, expiresAt };
}

function fromAccessUserRow(row: AccessUserRow): TokenUser {
  const [, sub, , , , claims, username, nickname, picture, email, emailVerified, phone, phoneVerified, updatedAt] = row;
  return {
    token: fromAccessRow(row),
    claims: toClaims(claims),
    user: {
      sub,
      username,
      nickname: nickname ?? undefined,
      picture: picture ?? undefined,
      email: email ?? undefined,
      emailVerified: emailVerified === 1,
      phoneNumber: phone ?? undefined,
      phoneNumberVerified: phoneVerified === 1,
      updatedAt,
    },
  };
}

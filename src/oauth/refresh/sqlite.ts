import { prepareRecordEvent } from '../../audit/events/sqlite.ts';
import type { Profile } from '../../directory/users/claims.rules.ts';
import { PROFILE_COLUMNS, toProfile, USER_COLUMNS } from '../../directory/users/rows.store.ts';
import { GRANT_SLACK_SECONDS } from '../../platform/store/retention.ts';
import type { Row } from '../../platform/store/row.ts';
import type { Database } from '../../platform/store/sqlite/database.ts';
import {
  CALLER_IS_CLIENT,
  LIVE_GRANT,
  prepareAddAccessToken,
  prepareAddRefreshToken,
  prepareRevokeGrant,
} from '../token/grants.sqlite.ts';
import { toFamily } from '../token/rows.store.ts';
import { accessOf, type NewAccessToken, type TokenFamily } from '../token/store.ts';
import { toLiveRefreshToken, toRefreshFacts } from './rows.store.ts';
import { familyEnd, judgeRefresh } from './rules.ts';
import type { RefreshTokens, RotateOutcome, Rotation } from './store.ts';

/** Refresh tokens. rules.ts decides whether a token is good, inside the transaction that rotates it. */
export function refreshTokens(db: Database): RefreshTokens {
  const live = db.prepare(
    `SELECT g.client_id, g.sub, g.scope, t.issued_at, t.expires_at, g.started_at
     FROM refresh_tokens t ${LIVE_GRANT}
     WHERE t.app = ?1 AND t.token_hash = ?2 AND t.expires_at > ?3 AND t.rotated_at IS NULL AND ${CALLER_IS_CLIENT}`,
  );
  const revokeFamily = db.prepare(
    `UPDATE grants SET revoked_at = ? WHERE app = ? AND client_id = ? AND revoked_at IS NULL
       AND grant_id = (SELECT grant_id FROM refresh_tokens WHERE app = ? AND token_hash = ?) RETURNING sub`,
  );
  const prepareFindFamily = (columns: string, join: string) => {
    const select = db.prepare(
      `SELECT t.expires_at AS token_expires_at, t.rotated_at, t.successor_hash,
              g.grant_id, g.client_id, g.sub, g.scope, g.auth_time, g.amr, g.sid, g.claims, g.expires_at,
              g.started_at, g.resources ${columns}
       FROM refresh_tokens t ${LIVE_GRANT} ${join} WHERE t.app = ? AND t.token_hash = ?`,
    );
    select.setReturnArrays(true);
    return (app: string, hash: Uint8Array): Row | undefined => {
      const cells = select.get(app, hash) as unknown as FamilyCells | undefined;
      return cells && familyRow(cells);
    };
  };
  const find = prepareFindFamily('', '');
  // One statement instead of two, because nearly every refresh needs the user.
  const findWithUser = prepareFindFamily(`, ${PROFILE_COLUMNS}`, 'JOIN users u ON u.sub = g.sub');
  const findUser = db.prepare(`SELECT ${USER_COLUMNS} FROM users u WHERE u.sub = ?`);
  const userFor = (row: Row, { user }: Rotation): Profile | undefined => {
    if (user) return toProfile(row);
    return row.claims === null ? undefined : toProfile(findUser.get(row.sub as string) as Row);
  };
  const usedSuccessor = db.prepare(
    'SELECT 1 FROM refresh_tokens WHERE app = ? AND token_hash = ? AND rotated_at IS NOT NULL',
  );
  const isSuccessorUsed = (app: string, { successor_hash }: Row): boolean =>
    successor_hash !== null && usedSuccessor.get(app, successor_hash as Uint8Array) !== undefined;
  const supersede = db.prepare(
    'UPDATE refresh_tokens SET rotated_at = ?, successor_hash = ? WHERE app = ? AND token_hash = ?',
  );
  const setEnd = db.prepare('UPDATE grants SET expires_at = ? WHERE app = ? AND grant_id = ?');
  /** Adds GRANT_SLACK_SECONDS, so that a family that is refreshed every hour is not written, with its index, every hour. */
  const prolong = (app: string, row: Row, end: number): void => {
    if ((row.expires_at as number) < end) setEnd.run(end + GRANT_SLACK_SECONDS, app, row.grant_id as string);
  };
  const addAccess = prepareAddAccessToken(db);
  const addRefresh = prepareAddRefreshToken(db);
  const revoke = prepareRevokeGrant(db);
  const record = prepareRecordEvent(db);

  const rotate: RefreshTokens['rotateRefreshToken'] = (app, rotation) =>
    db.write((): RotateOutcome => {
      const { presented, issuedAt, user } = rotation;
      const row = (user ? findWithUser : find)(app, rotation.tokenHash);
      if (!row) return { kind: 'refused', verdict: 'invalid' };
      const family = toFamily(row);
      const facts = toRefreshFacts(row, family, isSuccessorUsed(app, row));
      const verdict = judgeRefresh(facts, presented, issuedAt);
      const isIssued = verdict === 'rotate' || verdict === 'repeat' || verdict === 'keep';
      if (isIssued && user?.isAllowed?.(toProfile(row)) === false) return { kind: 'notAllowed', sub: family.sub };
      const access = isIssued ? accessOf(family, rotation) : rotation.access;
      if (typeof access === 'string') return { kind: 'refused', verdict: access };
      switch (verdict) {
        case 'rotate': {
          const successor = rotation.successors[0] as Uint8Array;
          const expiresAt = Math.min(rotation.successorExpiresAt, familyEnd(facts, presented));
          supersede.run(issuedAt, successor, app, rotation.tokenHash);
          addRefresh(app, row.grant_id as string, { hash: successor, expiresAt }, issuedAt);
          addAccessToken(app, row, family, rotation, access, expiresAt);
          return { kind: 'rotated', family, user: userFor(row, rotation), successor };
        }
        case 'repeat': {
          const successor = row.successor_hash as Uint8Array;
          addAccessToken(app, row, family, rotation, access);
          if (rotation.event) record(rotation.event('refresh.repeated', family));
          return { kind: 'repeated', family, user: userFor(row, rotation), successor };
        }
        case 'keep':
          addAccessToken(app, row, family, rotation, access);
          return { kind: 'kept', family, user: userFor(row, rotation) };
        case 'reused':
          revoke(app, row.grant_id as string, issuedAt);
          if (rotation.event) record(rotation.event('refresh.reused', family));
          return { kind: 'reused', sub: row.sub as string };
        case 'scopeWider':
          return { kind: 'scopeWider', granted: family.scope };
        default:
          return { kind: 'refused', verdict };
      }
    });

  /** Also prolongs the family, which is kept for as long as its tokens. */
  const addAccessToken = (
    app: string,
    row: Row,
    family: TokenFamily,
    { presented, issuedAt }: Rotation,
    access: NewAccessToken,
    refreshEnd = 0,
  ): void => {
    addAccess(app, row.grant_id as string, family, { access, issuedAt }, presented.scope);
    prolong(app, row, Math.max(access.expiresAt, refreshEnd));
  };

  return {
    rotateRefreshToken: rotate,
    findRefreshToken: (app, hash, now, caller) =>
      db.read(() => {
        const row = live.get(app, hash, now, caller ?? null) as Row | undefined;
        return row && toLiveRefreshToken(row);
      }),
    revokeRefreshToken: (app, hash, clientId, now, event) =>
      db.write(() => {
        const revoked = revokeFamily.get(now, app, clientId, app, hash);
        if (revoked && event) record({ ...event, subject: revoked.sub as string });
      }),
  };
}

/** The cells of prepareFindFamily, in the order of its columns. Those of the user are undefined where it was not read. */
type FamilyCells = readonly Row[string][];

/**
 * Every refresh reads this row. node:sqlite would make a dictionary of it, which takes twice as long, and then as long again to
 * read from.
 */
function familyRow(cells: FamilyCells): Row {
  const cell = (place: number) => cells[place] as Row[string];
  return {
    token_expires_at: cell(0),
    rotated_at: cell(1),
    successor_hash: cell(2),
    grant_id: cell(3),
    client_id: cell(4),
    sub: cell(5),
    scope: cell(6),
    auth_time: cell(7),
    amr: cell(8),
    sid: cell(9),
    claims: cell(10),
    expires_at: cell(11),
    started_at: cell(12),
    resources: cell(13),
    username: cell(14),
    nickname: cell(15),
    picture: cell(16),
    email: cell(17),
    email_verified: cell(18),
    phone_number: cell(19),
    phone_number_verified: cell(20),
    updated_at: cell(21),
    standard_claims: cell(22),
    membership: cell(23),
  };
}

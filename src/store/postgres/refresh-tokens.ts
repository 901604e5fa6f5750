import type { Profile } from '../../protocol/claims.ts';
import { judgeRefresh, type RefreshVerdict } from '../../protocol/refresh-policy.ts';
import { applicationOf } from '../application-parts.ts';
import { eventJson } from '../event-cells.ts';
import { StoreUnavailable } from '../faults.ts';
import type { RefreshTokens, RotateOutcome, Rotation } from '../refresh-tokens.ts';
import { GRANT_SLACK_SECONDS } from '../retention.ts';
import { PROFILE_COLUMNS, type Row, toFamily, toLiveRefreshToken, toProfile, toRefreshFacts } from '../rows.ts';
import { accessOf, type NewAccessToken, type TokenFamily } from '../tokens.ts';
import { partOf } from './citus/parts.ts';
import * as worker from './citus/rotation.ts';
import type { Database, Operation } from './connection/database.ts';
import {
  BY_KEY,
  type Columns,
  lookedUp,
  manyStatement,
  requestRows,
  type Statement,
  statement,
  type Value,
  withCitusForm,
} from './connection/statement.ts';
import { actAndRecord, recordEvent, recordWith } from './events.ts';
import { callerIsClient, revokeGrants, revokeGrantsAndRecord } from './grants.ts';
import {
  API_REQUEST,
  forApi,
  forIssuer,
  type IssuedFor,
  lastsLongEnough,
  mayRotate,
  REQUEST,
} from './refresh-conditions.ts';
import type { Partitions } from './schema/partitions.ts';

/** The grant of a token, unless it is revoked. */
function liveGrant(token: string): string {
  return lookedUp(
    `SELECT * FROM grants WHERE app = ${token}.app AND grant_id = ${token}.grant_id AND revoked_at IS NULL`,
  );
}

/** The user of a grant, read only if wanted or if single claims were requested (OIDC Core section 5.5). */
function userOf(grant: string, wanted: string): string {
  return lookedUp(`SELECT * FROM users WHERE sub = ${grant}.sub AND (${wanted} OR ${grant}.claims IS NOT NULL)`);
}

function usedToken(app: string, hash: string): string {
  return `SELECT 1 FROM refresh_tokens s WHERE s.app = ${app} AND s.token_hash = ${hash} AND s.rotated_at IS NOT NULL`;
}

const requestsCte = (request: Columns) => `request AS MATERIALIZED (
    ${requestRows(request)}
  )`;

/** The token and its family as they are now. Families of the first release have no started_at: they count from their login. */
const familyCte = (lock: string) => `token AS MATERIALIZED (
    SELECT r.*, t.expires_at AS token_expires_at, t.rotated_at, t.successor_hash, t.grant_id
    FROM request r CROSS JOIN LATERAL (
      SELECT expires_at, rotated_at, successor_hash, grant_id FROM refresh_tokens rt
      WHERE rt.app = r.app AND rt.token_hash = r.token_hash ${lock}
    ) t
  ),
  family AS MATERIALIZED (
    SELECT token.*, g.client_id, g.sub, g.scope, g.auth_time, g.amr, g.sid, g.claims, g.resources, g.expires_at,
      coalesce(g.started_at, g.auth_time) AS started_at
    FROM token CROSS JOIN ${liveGrant('token')} AS g
  )`;

/**
 * Issues the access tokens of `good`. A family that ends before its new token is left out: it has to be prolonged first.
 * `target`: the scope, the single claims and the audience of the tokens.
 */
const issueCte = (target: IssuedFor) => `issue AS MATERIALIZED (SELECT * FROM good WHERE ${lastsLongEnough('')}),
  access AS (
    INSERT INTO access_tokens (app, token_hash, grant_id, client_id, sub, scope, claims, issued_at, expires_at,
      auth_time, amr, audience)
    SELECT app, access_hash, grant_id, client_id, sub, ${target.scope}, ${target.claims}, now, access_end,
      auth_time, amr, ${target.audience} FROM issue
    ON CONFLICT DO NOTHING
  )`;

/**
 * An upsert of a row that exists and is locked. An UPDATE would be a join, for which the planner may scan a table that it
 * believes to be small (BY_KEY in statement.ts cannot prevent it); a conflict is always found by the key.
 */
const SUPERSEDE = `INSERT INTO refresh_tokens (app, token_hash, grant_id, issued_at, expires_at, rotated_at, successor_hash)
  SELECT app, token_hash, grant_id, now, token_expires_at, now, successor FROM issue WHERE rotates
  ON CONFLICT (app, token_hash) DO UPDATE SET rotated_at = excluded.rotated_at, successor_hash = excluded.successor_hash`;

/**
 * A whole rotation in one statement. It issues tokens under the conditions of `rotate` and `keep` in protocol/refresh-policy.ts.
 * The row lock makes concurrent requests with the same token see each other's result.
 */
const rotateStatement = (request: Columns, condition: string, target: IssuedFor) =>
  manyStatement(
    `WITH ${requestsCte(request)}, ${familyCte('FOR UPDATE')},
   good AS MATERIALIZED (
     SELECT * FROM family WHERE ${mayRotate('')} ${condition}
   ),
   ${issueCte(target)},
   superseded AS (${SUPERSEDE}),
   successor AS (
     INSERT INTO refresh_tokens (app, token_hash, grant_id, issued_at, expires_at)
     SELECT app, successor, grant_id, now, least(successor_end, started_at + family_ttl) FROM issue WHERE rotates
   )
   SELECT n, token_expires_at, rotated_at, successor_hash, grant_id, client_id, family.sub, scope, auth_time, amr, sid, claims,
     resources, expires_at, started_at, ${PROFILE_COLUMNS},
     n IN (SELECT n FROM issue) AS done FROM family LEFT JOIN ${userOf('family', 'with_user')} AS u ON true`,
  );
const ROTATE = withCitusForm(rotateStatement(REQUEST, 'AND resources IS NULL', forIssuer('')), worker.rotate);
const ROTATE_FOR_API = withCitusForm(rotateStatement(API_REQUEST, '', forApi('')), worker.rotateForApi);
/** A request that names an API, or whose application does not admit everybody, rotates nothing before family and user are known. */
const FIND = withCitusForm(rotateStatement(REQUEST, 'AND false', forIssuer('')), worker.findFamilyOnly);
/**
 * A retry within the grace period while the successor is unused: a new access token, the same successor. It changes no refresh
 * token and therefore locks none: in one transaction with rotations it would lock rows out of their order, and two nodes could
 * deadlock.
 */
const repeatStatement = (request: Columns, target: IssuedFor, recorded = '') =>
  manyStatement(
    `WITH ${requestsCte(request)}, ${familyCte(BY_KEY)},
   good AS (SELECT * FROM family WHERE NOT EXISTS (${usedToken('family.app', 'family.successor_hash')} ${BY_KEY})),
   ${issueCte(target)} ${recorded} SELECT n, true AS done FROM issue`,
  );
const RECORDED = `, recorded AS (${recordWith('issue', 'issue.event_json')})`;
const REPEAT = {
  alone: withCitusForm(repeatStatement(REQUEST, forIssuer('')), worker.repeat),
  withEvent: repeatStatement({ ...REQUEST, event_json: 'text' }, forIssuer(''), RECORDED),
};
const REPEAT_FOR_API = {
  alone: withCitusForm(repeatStatement(API_REQUEST, forApi('')), worker.repeatForApi),
  withEvent: repeatStatement({ ...API_REQUEST, event_json: 'text' }, forApi(''), RECORDED),
};
/** A separate query, for tokens that were rotated only: every refresh runs ROTATE, and few need this answer. */
const USED = statement(usedToken('$1', '$2'));
const PROLONG = statement(
  'UPDATE grants SET expires_at = $3 WHERE app = $1 AND grant_id = $2 AND expires_at < $3 AND revoked_at IS NULL',
);
/** Whether the call that planned this access token has rotated the refresh token. */
const LANDED = statement(
  `SELECT t.successor_hash, g.client_id, g.sub, g.scope, g.auth_time, g.amr, g.sid, g.claims, g.resources, ${PROFILE_COLUMNS}
   FROM access_tokens a
   JOIN refresh_tokens t ON t.app = $1 AND t.token_hash = $3
   CROSS JOIN ${lookedUp('SELECT * FROM grants WHERE app = $1 AND grant_id = a.grant_id')} AS g
   LEFT JOIN ${userOf('g', '$4::boolean')} AS u ON true
   WHERE a.app = $1 AND a.token_hash = $2`,
);
const live = (app: string) =>
  statement(
    `SELECT g.client_id, g.sub, g.scope, t.issued_at, t.expires_at, coalesce(g.started_at, g.auth_time) AS started_at
   FROM refresh_tokens t CROSS JOIN ${liveGrant('t')} AS g
   WHERE t.app = $1 AND t.token_hash = $2 AND t.expires_at > $3 AND t.rotated_at IS NULL
     AND ${callerIsClient(app, '$4::text')}`,
  );
const LIVE: Statement = { ...live('$1'), onCitus: live(applicationOf('$1')) };
const REVOKE = revokeGrants('app = $2 AND grant_id = $3');
const FAMILY_OF_TOKEN = `app = $2 AND client_id = $3
   AND grant_id = (SELECT grant_id FROM refresh_tokens WHERE app = $2 AND token_hash = $4)`;
const REVOKE_FAMILY = revokeGrants(FAMILY_OF_TOKEN);
const REVOKE_FAMILY_AND_RECORD = revokeGrantsAndRecord(FAMILY_OF_TOKEN, '$5');
const MAX_ATTEMPTS = 3;

/** Refresh tokens. protocol/refresh-policy.ts decides whether a token is good. */
export function refreshTokens(db: Database, partitions: Partitions): RefreshTokens {
  /** Adds GRANT_SLACK_SECONDS, so that a family that is refreshed every hour is not written every hour. */
  const prolong = async ({ write }: Operation, part: string, row: Row, end: number): Promise<void> => {
    if ((row.expires_at as number) < end)
      await write(PROLONG, [part, row.grant_id as string, end + GRANT_SLACK_SECONDS]);
  };

  const isSuccessorUsed = async ({ read }: Operation, part: string, { successor_hash }: Row): Promise<boolean> =>
    successor_hash !== null && (await read(USED, [part, successor_hash as Uint8Array])).length > 0;

  /**
   * `apiAccess`: the access token, once it is known what the family covers, where that matters. `rotatesAtOnce`: nothing has to be known
   * of family and user before.
   */
  const rotate = async (
    operation: Operation,
    part: string,
    rotation: Rotation,
    apiAccess?: NewAccessToken,
    rotatesAtOnce = !rotation.target?.namesResource && !rotation.user?.isAllowed,
  ): Promise<RotateOutcome> => {
    const { presented, issuedAt } = rotation;
    const access = apiAccess ?? rotation.access;
    const successor = rotation.successors[0] as Uint8Array;
    const end = presented.rotation ? Math.max(access.expiresAt, rotation.successorExpiresAt) : access.expiresAt;
    const values = [...rotationValues(part, rotation, access, end), ...apiValues(apiAccess)];
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const [row] = await operation.write(apiAccess ? ROTATE_FOR_API : rotatesAtOnce ? ROTATE : FIND, values);
      if (!row) return { kind: 'refused', verdict: 'invalid' };
      if (row.done && presented.rotation) return issued('rotated', row, successor);
      if (row.done) return { kind: 'kept', ...familyAndUser(row) };
      const family = toFamily(row);
      const facts = toRefreshFacts(row, family, await isSuccessorUsed(operation, part, row));
      const verdict = judgeRefresh(facts, presented, issuedAt);
      if (verdict === 'reused') return reused(operation, part, row, rotation, access);
      const refusal = refusalOf(verdict, row, family, rotation);
      if (refusal) return refusal;
      const wanted = apiAccess ?? accessOf(family, rotation);
      if (typeof wanted === 'string') return { kind: 'refused', verdict: wanted };
      if (wanted !== access) return rotateForApi(operation, part, rotation, wanted);
      if (!apiAccess && !rotatesAtOnce && verdict !== 'repeat')
        return rotate(operation, part, rotation, undefined, true);
      // The token is good and was not rotated: its family ends before the new tokens, or another transaction changed it just now.
      if (verdict !== 'repeat') {
        await prolong(operation, part, row, end);
        continue;
      }
      const repeated = await repeat(operation, part, row, rotation, apiAccess);
      if (repeated) return repeated;
    }
    throw new StoreUnavailable('the grant is being changed by too many at once');
  };

  /** Undefined: another transaction changed the family just now. */
  const repeat = async (
    operation: Operation,
    part: string,
    row: Row,
    rotation: Rotation,
    apiAccess: NewAccessToken | undefined,
  ): Promise<RotateOutcome | undefined> => {
    const access = apiAccess ?? rotation.access;
    await prolong(operation, part, row, access.expiresAt);
    const event = rotation.event?.('refresh.repeated', toFamily(row));
    const values = [...rotationValues(part, rotation, access, access.expiresAt), ...apiValues(apiAccess)];
    const [repeated] = await actAndRecord(operation, apiAccess ? REPEAT_FOR_API : REPEAT, values, event);
    return repeated?.done ? issued('repeated', row, row.successor_hash as Uint8Array) : undefined;
  };

  /** The token has another lifetime than the planned one, so it may belong to another partition. */
  const rotateForApi = (operation: Operation, part: string, rotation: Rotation, access: NewAccessToken) =>
    partitions.writing(operation, [['access_tokens', access.hash]], () => rotate(operation, part, rotation, access));

  /** An earlier attempt of this call may have rotated the token and its answer was lost. Otherwise the token counts as stolen. */
  const reused = async (
    { read, transaction }: Operation,
    part: string,
    row: Row,
    rotation: Rotation,
    access: NewAccessToken,
  ): Promise<RotateOutcome> => {
    const [landed] = await read(LANDED, [part, access.hash, rotation.tokenHash, rotation.user !== undefined]);
    if (landed) return issued('rotated', landed, landed.successor_hash as Uint8Array);
    await transaction(async run => {
      const revoked = await run(REVOKE, [rotation.issuedAt, part, row.grant_id as string]);
      if (rotation.event && revoked.length > 0) await recordEvent(run, rotation.event('refresh.reused', toFamily(row)));
    });
    return { kind: 'reused', sub: row.sub as string };
  };

  return {
    rotateRefreshToken: (app, rotation, receivedAt) => {
      const successor = rotation.successors[0] as Uint8Array;
      const places = [
        ['access_tokens', rotation.access.hash],
        ['refresh_tokens', successor],
      ] as const;
      const operation = db.operation(receivedAt);
      const part = partOf(db, app, rotation.tokenHash);
      return partitions.writing(operation, places, () => rotate(operation, part, rotation));
    },
    findRefreshToken: async (app, hash, now, caller, receivedAt) => {
      const [row] = await db.read(LIVE, [partOf(db, app, hash), hash, now, caller ?? null], receivedAt);
      return row && toLiveRefreshToken(row);
    },
    revokeRefreshToken: async (app, hash, clientId, now, event, receivedAt) => {
      const family = [now, partOf(db, app, hash), clientId, hash];
      if (event) await db.write(REVOKE_FAMILY_AND_RECORD, [...family, eventJson(event)], receivedAt);
      else await db.write(REVOKE_FAMILY, family, receivedAt);
    },
  };
}

function issued(kind: 'rotated' | 'repeated', row: Row, successor: Uint8Array): RotateOutcome {
  return { kind, ...familyAndUser(row), successor };
}

/** Undefined: token and user are good. */
function refusalOf(
  verdict: RefreshVerdict,
  row: Row,
  { scope, sub }: TokenFamily,
  { user }: Rotation,
): RotateOutcome | undefined {
  if (verdict === 'scopeWider') return { kind: verdict, granted: scope };
  if (verdict === 'invalid' || verdict === 'expired') return { kind: 'refused', verdict };
  return user?.isAllowed?.(toProfile(row)) === false ? { kind: 'notAllowed', sub } : undefined;
}

function familyAndUser(row: Row): { family: TokenFamily; user: Profile | undefined } {
  return { family: toFamily(row), user: row.username === null ? undefined : toProfile(row) };
}

/** The values of REQUEST, after the application. `end`: the earliest time at which the family may end. */
function rotationValues(part: string, rotation: Rotation, access: NewAccessToken, end: number): Value[] {
  const { tokenHash, issuedAt, presented, successorExpiresAt, user } = rotation;
  const narrowed = presented.scope?.join(' ') ?? null;
  return [
    part,
    tokenHash,
    issuedAt,
    access.hash,
    access.expiresAt,
    narrowed,
    end,
    presented.clientId,
    presented.rotation,
    rotation.successors[0] as Uint8Array,
    successorExpiresAt,
    user !== undefined,
    presented.familyTtl,
  ];
}

/** Those that API_REQUEST has besides. */
function apiValues(access: NewAccessToken | undefined): Value[] {
  return access ? [access.scope?.join(' ') ?? null, access.audience ?? null] : [];
}

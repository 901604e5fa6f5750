import type { Profile } from '../../protocol/claims.ts';
import { judgeRefresh } from '../../protocol/refresh-policy.ts';
import { StoreUnavailable } from '../faults.ts';
import type { RefreshTokens, RotateOutcome, Rotation } from '../refresh-tokens.ts';
import { GRANT_SLACK } from '../retention.ts';
import { PROFILE_COLUMNS, type Row, toGrant, toLiveRefreshToken, toProfile, toRefreshFacts } from '../rows.ts';
import type { TokenFamily } from '../tokens.ts';
import type { Database, Operation } from './connection/database.ts';
import { BY_KEY, lookedUp, manyStatement, statement, type Value } from './connection/statement.ts';
import { callerIsClient, revokeGrants } from './grants.ts';
import type { Partitions } from './schema/partitions.ts';

/** Of the row of a token. */
function liveGrant(token: string): string {
  return lookedUp(
    `SELECT * FROM grants WHERE app = ${token}.app AND grant_id = ${token}.grant_id AND revoked_at IS NULL`,
  );
}

/** The profile behind a grant, where it is wanted or the grant asks for claims one by one. */
function userOf(grant: string, wanted: string): string {
  return lookedUp(`SELECT * FROM users WHERE sub = ${grant}.sub AND (${wanted} OR ${grant}.claims IS NOT NULL)`);
}

function usedToken(app: string, hash: string): string {
  return `SELECT 1 FROM refresh_tokens s WHERE s.app = ${app} AND s.token_hash = ${hash} AND s.rotated_at IS NOT NULL`;
}

/** The requests of one statement, in the order of rotationValues below. */
const REQUESTS = `request AS MATERIALIZED (
    SELECT * FROM unnest($1::text[], $2::bytea[], $3::bigint[], $4::bytea[], $5::bigint[], $6::text[], $7::bigint[],
      $8::text[], $9::boolean[], $10::bytea[], $11::bigint[], $12::boolean[], $13::bigint[])
      WITH ORDINALITY AS r (app, token_hash, now, access_hash, access_end, narrowed, least_end,
        caller, rotates, successor, successor_end, with_user, family_ttl, n)
  )`;

/** The token and its family as they are now. A family from before it was noted when it began counts from its login. */
const family = (lock: string) => `token AS MATERIALIZED (
    SELECT r.*, t.expires_at AS token_expires_at, t.rotated_at, t.successor_hash, t.grant_id
    FROM request r CROSS JOIN LATERAL (
      SELECT expires_at, rotated_at, successor_hash, grant_id FROM refresh_tokens rt
      WHERE rt.app = r.app AND rt.token_hash = r.token_hash ${lock}
    ) t
  ),
  family AS MATERIALIZED (
    SELECT token.*, g.client_id, g.sub, g.scope, g.auth_time, g.amr, g.sid, g.claims, g.expires_at,
      coalesce(g.started_at, g.auth_time) AS started_at
    FROM token CROSS JOIN ${liveGrant('token')} AS g
  )`;

/** What the scope of a narrowed token covers, userinfo gives anyway; the other single claims are not for it. */
const CLAIMS = `CASE WHEN narrowed IS NULL OR string_to_array(narrowed, ' ') @> string_to_array(scope, ' ') THEN claims END`;

/** From `good`, the families that may be given more: the access token. A grant that it would outlive has to be prolonged first. */
const ISSUE = `issue AS MATERIALIZED (SELECT * FROM good WHERE expires_at >= least_end),
  access AS (
    INSERT INTO access_tokens (app, token_hash, grant_id, client_id, sub, scope, claims, issued_at, expires_at)
    SELECT app, access_hash, grant_id, client_id, sub, coalesce(narrowed, scope), ${CLAIMS}, now, access_end FROM issue
    ON CONFLICT DO NOTHING
  )`;

/**
 * The row is there and locked. An UPDATE would be a join, for which the planner may walk over a table that it takes for small
 * (BY_KEY in statement.ts cannot help there); a conflict is found by the key, whatever it believes.
 */
const SUPERSEDE = `INSERT INTO refresh_tokens (app, token_hash, grant_id, issued_at, expires_at, rotated_at, successor_hash)
  SELECT app, token_hash, grant_id, now, token_expires_at, now, successor FROM issue WHERE rotates
  ON CONFLICT (app, token_hash) DO UPDATE SET rotated_at = excluded.rotated_at, successor_hash = excluded.successor_hash`;

/**
 * All of a rotation in one statement. It goes ahead where protocol/refresh-policy.ts would say `rotate` or `keep`. The token is
 * locked: of many callers each sees what the one before it did.
 */
const ROTATE = manyStatement(
  `WITH ${REQUESTS}, ${family('FOR UPDATE')},
   good AS MATERIALIZED (
     SELECT * FROM family WHERE rotated_at IS NULL AND client_id = caller
       AND token_expires_at > now AND started_at + family_ttl > now
       AND (narrowed IS NULL OR string_to_array(scope, ' ') @> string_to_array(narrowed, ' '))
   ),
   ${ISSUE},
   superseded AS (${SUPERSEDE}),
   successor AS (
     INSERT INTO refresh_tokens (app, token_hash, grant_id, issued_at, expires_at)
     SELECT app, successor, grant_id, now, least(successor_end, started_at + family_ttl) FROM issue WHERE rotates
   )
   SELECT n, token_expires_at, rotated_at, successor_hash, grant_id, client_id, family.sub, scope, auth_time, amr, sid, claims,
     expires_at, started_at, ${PROFILE_COLUMNS},
     n IN (SELECT n FROM issue) AS done FROM family LEFT JOIN ${userOf('family', 'with_user')} AS u ON true`,
);
/**
 * A retry of what was rotated a moment ago, as long as nobody has used the successor: another access token, the same successor.
 * It changes no token, and so locks none: in one transaction with rotations it would take its locks out of their order, and two
 * nodes could wait for each other.
 */
const REPEAT = manyStatement(
  `WITH ${REQUESTS}, ${family(BY_KEY)},
   good AS (SELECT * FROM family WHERE NOT EXISTS (${usedToken('family.app', 'family.successor_hash')} ${BY_KEY})),
   ${ISSUE} SELECT n, true AS done FROM issue`,
);
/** Asked only about the successor of a token that was rotated: ROTATE, which every refresh pays for, does not look there. */
const USED = statement(usedToken('$1', '$2'));
const PROLONG = statement(
  'UPDATE grants SET expires_at = $3 WHERE app = $1 AND grant_id = $2 AND expires_at < $3 AND revoked_at IS NULL',
);
/** Whether a rotation was done by the call that planned this access token. */
const LANDED = statement(
  `SELECT t.successor_hash, g.client_id, g.sub, g.scope, g.auth_time, g.amr, g.sid, g.claims, ${PROFILE_COLUMNS}
   FROM access_tokens a
   JOIN refresh_tokens t ON t.app = $1 AND t.token_hash = $3
   CROSS JOIN ${lookedUp('SELECT * FROM grants WHERE app = $1 AND grant_id = a.grant_id')} AS g
   LEFT JOIN ${userOf('g', '$4::boolean')} AS u ON true
   WHERE a.app = $1 AND a.token_hash = $2`,
);
const LIVE = statement(
  `SELECT g.client_id, g.sub, g.scope, t.issued_at, t.expires_at, coalesce(g.started_at, g.auth_time) AS started_at
   FROM refresh_tokens t CROSS JOIN ${liveGrant('t')} AS g
   WHERE t.app = $1 AND t.token_hash = $2 AND t.expires_at > $3 AND t.rotated_at IS NULL
     AND ${callerIsClient('$1', '$4::text')}`,
);
const REVOKE = revokeGrants('app = $2 AND grant_id = $3');
const REVOKE_FAMILY = revokeGrants(
  `app = $2 AND client_id = $3
   AND grant_id = (SELECT grant_id FROM refresh_tokens WHERE app = $2 AND token_hash = $4)`,
);
const MAX_ATTEMPTS = 3;

/** Refresh tokens: protocol/refresh-policy.ts judges. */
export function refreshTokens(db: Database, partitions: Partitions): RefreshTokens {
  /** By some more, so that a grant refreshed every hour is not rewritten every hour. */
  const prolong = async ({ write }: Operation, app: string, row: Row, end: number): Promise<void> => {
    if ((row.expires_at as number) < end) await write(PROLONG, [app, row.grant_id as string, end + GRANT_SLACK]);
  };

  const isSuccessorUsed = async ({ read }: Operation, app: string, { successor_hash }: Row): Promise<boolean> =>
    successor_hash !== null && (await read(USED, [app, successor_hash as Uint8Array])).length > 0;

  const rotate = async (operation: Operation, app: string, rotation: Rotation): Promise<RotateOutcome> => {
    const { presented, issuedAt, access } = rotation;
    const successor = rotation.successors[0] as Uint8Array;
    const end = presented.rotation ? Math.max(access.expiresAt, rotation.successorExpiresAt) : access.expiresAt;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const [row] = await operation.write(ROTATE, rotationValues(app, rotation, successor, end));
      if (!row) return { kind: 'refused', verdict: 'invalid' };
      if (row.done && presented.rotation) return issued('rotated', row, successor);
      if (row.done) return { kind: 'kept', ...grantAndUser(row) };
      const facts = toRefreshFacts(row, toGrant(row), await isSuccessorUsed(operation, app, row));
      const verdict = judgeRefresh(facts, presented, issuedAt);
      // Judged good and yet not done: the grant would end before its tokens, or was changed in that moment.
      if (verdict === 'rotate' || verdict === 'keep') {
        await prolong(operation, app, row, end);
        continue;
      }
      if (verdict === 'reused') return reused(operation, app, row, rotation);
      if (verdict === 'scopeWider') return { kind: 'scopeWider', granted: facts.scope };
      if (verdict !== 'repeat') return { kind: 'refused', verdict };
      await prolong(operation, app, row, access.expiresAt);
      const [repeated] = await operation.write(REPEAT, rotationValues(app, rotation, successor, access.expiresAt));
      if (repeated?.done) return issued('repeated', row, row.successor_hash as Uint8Array);
    }
    throw new StoreUnavailable('the grant is being changed by too many at once');
  };

  /** Perhaps by this very call, whose answer was lost: without a grace period that looks like a stolen token. */
  const reused = async (
    { read, write }: Operation,
    app: string,
    row: Row,
    rotation: Rotation,
  ): Promise<RotateOutcome> => {
    const [landed] = await read(LANDED, [app, rotation.access.hash, rotation.tokenHash, rotation.withUser]);
    if (landed) return issued('rotated', landed, landed.successor_hash as Uint8Array);
    await write(REVOKE, [rotation.issuedAt, app, row.grant_id as string]);
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
      return partitions.writing(operation, places, () => rotate(operation, app, rotation));
    },
    findRefreshToken: async (app, hash, now, caller, receivedAt) => {
      const [row] = await db.read(LIVE, [app, hash, now, caller ?? null], receivedAt);
      return row && toLiveRefreshToken(row);
    },
    revokeRefreshToken: async (app, hash, clientId, now, receivedAt) => {
      await db.write(REVOKE_FAMILY, [now, app, clientId, hash], receivedAt);
    },
  };
}

function issued(kind: 'rotated' | 'repeated', row: Row, successor: Uint8Array): RotateOutcome {
  return { kind, ...grantAndUser(row), successor };
}

function grantAndUser(row: Row): { grant: TokenFamily; user: Profile | undefined } {
  return { grant: toGrant(row), user: row.username === null ? undefined : toProfile(row) };
}

/** `end`: until when the grant has to last. */
function rotationValues(app: string, rotation: Rotation, successor: Uint8Array, end: number): Value[] {
  const { tokenHash, issuedAt, access, presented, successorExpiresAt, withUser } = rotation;
  const narrowed = presented.scope?.join(' ') ?? null;
  return [
    app,
    tokenHash,
    issuedAt,
    access.hash,
    access.expiresAt,
    narrowed,
    end,
    presented.clientId,
    presented.rotation,
    successor,
    successorExpiresAt,
    withUser,
    presented.familyTtl,
  ];
}

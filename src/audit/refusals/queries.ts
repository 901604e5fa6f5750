import { isSubjectClient } from '../../oauth/token/subject.rules.ts';
import { partSuffix } from '../../platform/store/application-parts.ts';
import { optional, type Row } from '../../platform/store/row.ts';
import { advisoryLock, among, BYTEWISE, type Query, sql } from '../../platform/store/sql.ts';
import { type ColdDatabase, rowsOf, runAll, type Steps } from '../../platform/store/steps.ts';
import type {
  RefreshTokenDescription,
  RefusalFilter,
  RefusalPlace,
  Refusals,
  StoredRefusal,
  TokenDescription,
  UserState,
} from './store.ts';

export function coldRefusals(db: ColdDatabase): Refusals {
  const first = async (query: Query) => (await db.read(query))[0];
  return {
    addRefusals: (refusals, perMinute) => db.transaction(() => addRefusals(refusals, perMinute)),
    trimRefusals: async (app, keep) => {
      await db.write(sql`DELETE FROM refusals WHERE app = ${app} AND time < (
        SELECT time FROM refusals WHERE app = ${app} ORDER BY time DESC LIMIT 1 OFFSET ${keep - 1})`);
    },
    findRefusal: async requestId => {
      const found = sql`SELECT request_id, app, time, reason, data FROM refusals WHERE request_id = ${requestId}`;
      const row = await first(found);
      return row && toRefusal(row);
    },
    listRefusals: async (filter, { after, limit }) => {
      const page = sql`SELECT request_id, app, time, reason, data FROM refusals
        WHERE true ${conditions(filter)} ${older(after)} ORDER BY time DESC, request_id DESC LIMIT ${limit}`;
      return (await db.read(page)).map(toRefusal);
    },
    describeCode: async codeHash => {
      const row =
        await first(sql`SELECT a.code AS app, c.client_id, c.sub, c.redirect_uri, c.code_challenge, c.expires_at, c.grant_id,
          g.started_at, u.disabled, EXISTS (SELECT 1 FROM ended_sessions e WHERE e.sid = c.sid) AS ended
        FROM applications a JOIN codes c ON c.app = a.code || ${partSuffix(codeHash)} AND c.code_hash = ${codeHash}
        LEFT JOIN grants g ON g.app = c.app AND g.grant_id = c.grant_id LEFT JOIN users u ON u.sub = c.sub`);
      return (
        row && {
          app: row.app as string,
          clientId: row.client_id as string,
          redirectUri: row.redirect_uri as string,
          codeChallenge: optional(row.code_challenge),
          expiresAt: row.expires_at as number,
          isRedeemed: row.grant_id !== null,
          redeemedAt: time(row.started_at),
          user: userState(row),
          isSessionEnded: Boolean(row.ended),
        }
      );
    },
    describeAccessToken: async hash => {
      const row =
        await first(sql`SELECT a.code AS app, t.client_id, t.sub, t.scope, t.expires_at, t.auth_time, t.exchange,
          g.revoked_at, u.disabled,
          EXISTS (SELECT 1 FROM revoked_grants r WHERE r.app = t.app AND r.grant_id = t.grant_id) AS revoked
        FROM applications a JOIN access_tokens t ON t.app = a.code || ${partSuffix(hash)} AND t.token_hash = ${hash}
        LEFT JOIN grants g ON g.app = t.app AND g.grant_id = t.grant_id LEFT JOIN users u ON u.sub = t.sub`);
      return row && toToken(row);
    },
    describeRefreshToken: async hash => {
      const row =
        await first(sql`SELECT a.code AS app, g.client_id, g.sub, g.scope, t.expires_at, t.rotated_at, g.revoked_at, u.disabled,
          g.started_at
        FROM applications a JOIN refresh_tokens t ON t.app = a.code || ${partSuffix(hash)} AND t.token_hash = ${hash}
        JOIN grants g ON g.app = t.app AND g.grant_id = t.grant_id LEFT JOIN users u ON u.sub = g.sub`);
      return row && toRefreshToken(row);
    },
    describeUser: async sub => {
      const row = await first(sql`SELECT disabled FROM users WHERE sub = ${sub}`);
      return row ? userState(row) : 'deleted';
    },
    applicationsWithClient: async clientId => {
      const apps = sql`SELECT c.app FROM applications a JOIN clients c ON c.app = a.code AND c.client_id = ${clientId}
        ORDER BY c.app ${BYTEWISE}`;
      return (await db.read(apps)).map(({ app }) => app as string);
    },
    clientIds: async (app, limit) => {
      const ids = sql`SELECT client_id FROM clients WHERE app = ${app} ORDER BY client_id ${BYTEWISE} LIMIT ${limit}`;
      return (await db.read(ids)).map(({ client_id }) => client_id as string);
    },
  };
}

function conditions({ apps, reason }: RefusalFilter): Query {
  const [only] = apps ?? [];
  const ofApps =
    apps?.length === 1 && only !== undefined ? sql`AND app = ${only}` : apps && sql`AND app ${among(apps)}`;
  return sql`${ofApps ?? sql``} ${reason === undefined ? sql`` : sql`AND reason = ${reason}`}`;
}

/** The first comparison is for the index, which has the time alone. */
function older(after: RefusalPlace | undefined): Query {
  if (!after) return sql``;
  const { time, requestId } = after;
  return sql`AND time <= ${time} AND (time < ${time} OR request_id < ${requestId})`;
}

/** "refu" as a number: one process at a time counts and adds. */
const LOCK = advisoryLock(0x72656675);

const MINUTE_SECONDS = 60;

function* addRefusals(refusals: readonly StoredRefusal[], perMinute: number): Steps<number> {
  yield* rowsOf(sql`SELECT ${LOCK} AS locked`);
  const groups = [...Map.groupBy(refusals, ({ app, time }) => `${app} ${minuteOf(time)}`).values()];
  const counts = yield* runAll(groups.map(([one]) => countInMinute(one as StoredRefusal)));
  const kept = groups.flatMap((group, at) => group.slice(0, Math.max(0, perMinute - Number(counts[at]?.[0]?.count))));
  yield* runAll(kept.map(insert));
  return kept.length;
}

function minuteOf(time: number): number {
  return time - (time % MINUTE_SECONDS);
}

function countInMinute({ app, time }: StoredRefusal): Query {
  const start = minuteOf(time);
  return sql`SELECT count(*) AS count FROM refusals
    WHERE app = ${app} AND time >= ${start} AND time < ${start + MINUTE_SECONDS}`;
}

/** A batch whose answer was lost is written again. */
function insert({ requestId, app, time, reason, data }: StoredRefusal): Query {
  return sql`INSERT INTO refusals (request_id, app, time, reason, data)
    VALUES (${requestId}, ${app}, ${time}, ${reason}, ${data}) ON CONFLICT DO NOTHING`;
}

function toRefusal(row: Row): StoredRefusal {
  return {
    requestId: row.request_id as string,
    app: row.app as string,
    time: row.time as number,
    reason: row.reason as string,
    data: row.data as string,
  };
}

function toToken(row: Row): TokenDescription {
  const clientId = row.client_id as string;
  // An exchanged token without a login acts for a client, which is not its own.
  const isExchanged = typeof row.exchange === 'string' && row.auth_time === null;
  const isOfClient = isExchanged || isSubjectClient({ clientId, sub: row.sub as string });
  return {
    app: row.app as string,
    clientId,
    scope: row.scope as string,
    expiresAt: row.expires_at as number,
    isRevoked: row.revoked_at !== null || Boolean(row.revoked),
    revokedAt: time(row.revoked_at),
    user: isOfClient ? 'none' : userState(row),
  };
}

function toRefreshToken(row: Row): RefreshTokenDescription {
  return { ...toToken(row), rotatedAt: time(row.rotated_at), familyStartedAt: row.started_at as number };
}

function userState({ disabled }: Row): UserState {
  if (disabled === null) return 'deleted';
  return disabled ? 'disabled' : 'enabled';
}

function time(value: Row[string] | undefined): number | undefined {
  return value === null || value === undefined ? undefined : (value as number);
}

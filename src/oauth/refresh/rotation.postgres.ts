import { recordWith } from '../../audit/events/postgres.ts';
import { PROFILE_COLUMNS } from '../../directory/users/rows.store.ts';
import {
  BY_KEY,
  type Columns,
  lookedUp,
  manyStatement,
  requestRows,
  statement,
  withCitusForm,
} from '../../platform/store/postgres/statement.ts';
import * as worker from './citus.ts';
import {
  API_REQUEST,
  forApi,
  forIssuer,
  type IssuedFor,
  lastsLongEnough,
  mayRotate,
  REQUEST,
} from './conditions.postgres.ts';

/** The statements of a rotation. postgres.ts runs them. */

/** The grant of a token, unless it is revoked. */
export function liveGrant(token: string): string {
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

/** The token and its family as they are now. */
const familyCte = (lock: string) => `token AS MATERIALIZED (
    SELECT r.*, t.expires_at AS token_expires_at, t.rotated_at, t.successor_hash, t.grant_id
    FROM request r CROSS JOIN LATERAL (
      SELECT expires_at, rotated_at, successor_hash, grant_id FROM refresh_tokens rt
      WHERE rt.app = r.app AND rt.token_hash = r.token_hash ${lock}
    ) t
  ),
  family AS MATERIALIZED (
    SELECT token.*, g.client_id, g.sub, g.scope, g.auth_time, g.amr, g.sid, g.claims, g.resources, g.expires_at,
      g.started_at
    FROM token CROSS JOIN ${liveGrant('token')} AS g
  )`;

/** The answer: the family with its user, and whether the tokens were issued. */
const found = (
  done: string,
) => `SELECT n, token_expires_at, rotated_at, successor_hash, grant_id, client_id, family.sub, scope,
     auth_time, amr, sid, claims, resources, expires_at, started_at, ${PROFILE_COLUMNS}, ${done} AS done
   FROM family LEFT JOIN ${userOf('family', 'with_user')} AS u ON true`;

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
 * believes to be small (BY_KEY in platform/store/postgres/statement.ts cannot prevent it); a conflict is always found by the key.
 */
const SUPERSEDE = `INSERT INTO refresh_tokens (app, token_hash, grant_id, issued_at, expires_at, rotated_at, successor_hash)
  SELECT app, token_hash, grant_id, now, token_expires_at, now, successor FROM issue WHERE rotates
  ON CONFLICT (app, token_hash) DO UPDATE SET rotated_at = excluded.rotated_at, successor_hash = excluded.successor_hash`;

/**
 * A whole rotation in one statement. It issues tokens under the conditions of `rotate` and `keep` in rules.ts.
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
   ${found('n IN (SELECT n FROM issue)')}`,
  );
export const ROTATE = withCitusForm(rotateStatement(REQUEST, 'AND resources IS NULL', forIssuer('')), worker.rotate);
export const ROTATE_FOR_API = withCitusForm(rotateStatement(API_REQUEST, '', forApi('')), worker.rotateForApi);
/** Rotates nothing. */
export const FIND = withCitusForm(
  manyStatement(`WITH ${requestsCte(REQUEST)}, ${familyCte(BY_KEY)} ${found('false')}`),
  worker.findFamilyOnly,
);
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
export const REPEAT = {
  alone: withCitusForm(repeatStatement(REQUEST, forIssuer('')), worker.repeat),
  withEvent: repeatStatement({ ...REQUEST, event_json: 'text' }, forIssuer(''), RECORDED),
};
export const REPEAT_FOR_API = {
  alone: withCitusForm(repeatStatement(API_REQUEST, forApi('')), worker.repeatForApi),
  withEvent: repeatStatement({ ...API_REQUEST, event_json: 'text' }, forApi(''), RECORDED),
};
/** A separate query, for tokens that were rotated only: every refresh runs ROTATE, and few need this answer. */
export const USED = statement(usedToken('$1', '$2'));
export const PROLONG = statement(
  'UPDATE grants SET expires_at = $3 WHERE app = $1 AND grant_id = $2 AND expires_at < $3 AND revoked_at IS NULL',
);
/** Whether the call that planned this access token has rotated the refresh token. */
export const FIND_ISSUED = statement(
  `SELECT t.successor_hash, g.client_id, g.sub, g.scope, g.auth_time, g.amr, g.sid, g.claims, g.resources, ${PROFILE_COLUMNS}
   FROM access_tokens a
   JOIN refresh_tokens t ON t.app = $1 AND t.token_hash = $3
   CROSS JOIN ${lookedUp('SELECT * FROM grants WHERE app = $1 AND grant_id = a.grant_id')} AS g
   LEFT JOIN ${userOf('g', '$4::boolean')} AS u ON true
   WHERE a.app = $1 AND a.token_hash = $2`,
);

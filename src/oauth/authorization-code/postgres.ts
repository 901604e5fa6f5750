import type { Event } from '../../audit/events/rules.ts';
import { PROFILE_COLUMNS, toProfile } from '../../directory/users/rows.store.ts';
import type { StoredApp } from '../../platform/store/application-parts.ts';
import type { DelegatedFunction } from '../../platform/store/citus/delegated.ts';
import { partOf } from '../../platform/store/citus/parts.ts';
import type { Database, Operation } from '../../platform/store/postgres/database.ts';
import { clientLock, userLock } from '../../platform/store/postgres/locks.ts';
import type { Partitions } from '../../platform/store/postgres/partitions.ts';
import {
  type Columns,
  lookedUp,
  manyStatement,
  requestRows,
  type Statement,
  statement,
  type Value,
  withCitusForm,
} from '../../platform/store/postgres/statement.ts';
import { GRANT_SLACK_SECONDS } from '../../platform/store/retention.ts';
import { optional, type Row } from '../../platform/store/row.ts';
import { addCode } from '../token/citus.ts';
import {
  familyValues,
  grantEnd,
  issueOutcome,
  MAY_GRANT,
  NOTE_CLIENT,
  SELECT_KNOWN,
} from '../token/grants.postgres.ts';
import { toFamily } from '../token/rows.store.ts';
import { accessOf, type NewAccessToken, type NewTokens, type TokenFamily } from '../token/store.ts';
import * as worker from './citus.ts';
import { API_REQUEST, mayRedeem, REQUEST } from './conditions.postgres.ts';
import type { Replays } from './replays.postgres.ts';
import { toCodeFacts } from './rows.store.ts';
import { judgeCode, type PresentedCode } from './rules.ts';
import type { Codes, RedeemOutcome } from './store.ts';

const ADD = withCitusForm(
  statement(
    `WITH noted AS (${NOTE_CLIENT}), added AS (
   INSERT INTO codes (app, client_id, sid, sub, scope, auth_time, amr, claims, resources, code_hash, nonce, redirect_uri,
                      code_challenge, client_authentication_required, with_refresh, expires_at)
   SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16
   WHERE ${MAY_GRANT} AND EXISTS (SELECT 1 FROM users WHERE sub = $4 AND NOT disabled)
   ON CONFLICT DO NOTHING)
   ${SELECT_KNOWN}`,
  ),
  addCode,
);

const requestsCte = (request: Columns) => `request AS MATERIALIZED (
    ${requestRows(request)}
  )`;

/** The code as it is now, with its user. The row lock makes concurrent redemptions see each other's result. */
const CODE = `code AS MATERIALIZED (
    SELECT r.*, c.*, u.sub IS NULL AS revoked, ${PROFILE_COLUMNS}
    FROM request r CROSS JOIN LATERAL (
      SELECT client_id, sub, scope, auth_time, amr, sid, nonce, claims, resources, redirect_uri, code_challenge,
        client_authentication_required, with_refresh, expires_at, grant_id
      FROM codes WHERE codes.app = r.app AND codes.code_hash = r.code_hash FOR UPDATE
    ) c LEFT JOIN ${lookedUp('SELECT * FROM users WHERE sub = c.sub AND NOT disabled')} AS u ON true
  )`;

/** An upsert of a row that exists and is locked, so that it is found by its key: see SUPERSEDE in oauth/refresh/rotation.postgres.ts. */
const SPEND = `INSERT INTO codes (app, code_hash, client_id, sub, scope, auth_time, amr, redirect_uri,
    client_authentication_required, expires_at, grant_id)
  SELECT app, code_hash, client_id, sub, scope, auth_time, amr, redirect_uri, client_authentication_required, expires_at,
    new_grant FROM good
  ON CONFLICT (app, code_hash) DO UPDATE SET grant_id = excluded.grant_id`;

const FOUND = `n, client_id, sub, scope, auth_time, amr, sid, nonce, claims, resources, redirect_uri, code_challenge,
     client_authentication_required, with_refresh, expires_at, grant_id, revoked, ${PROFILE_COLUMNS}`;

/** Which codes one statement redeems, and the access tokens that it writes for them. */
interface Redemption {
  readonly request: Columns;
  readonly condition: string;
  readonly access: string;
  readonly onCitus: DelegatedFunction;
}

/**
 * A whole redemption in one statement. It redeems the code under the conditions of `redeem` in rules.ts. Under
 * all others it changes nothing, and judgeCode makes the verdict from the row that it returns.
 */
const redemption = ({ request, condition, access, onCitus }: Redemption) =>
  withCitusForm(
    manyStatement(
      `WITH ${requestsCte(request)}, ${CODE},
   good AS MATERIALIZED (
     SELECT * FROM code WHERE ${mayRedeem('')} ${condition}
   ),
   spent AS (${SPEND}),
   granted AS (
     INSERT INTO grants (app, grant_id, client_id, sub, scope, auth_time, amr, sid, claims, resources, started_at,
       expires_at)
     SELECT app, new_grant, client_id, sub, scope, auth_time, amr, sid, claims, resources, now,
       CASE WHEN with_refresh THEN grant_end ELSE access_end + ${GRANT_SLACK_SECONDS} END FROM good
   ),
   access AS (
     INSERT INTO access_tokens (app, token_hash, grant_id, client_id, sub, scope, claims, issued_at, expires_at,
       auth_time, amr, audience)
     SELECT app, access_hash, new_grant, client_id, sub, ${access} FROM good
   ),
   refresh AS (
     INSERT INTO refresh_tokens (app, token_hash, grant_id, issued_at, expires_at)
     SELECT app, refresh_hash, new_grant, now, refresh_end FROM good WHERE with_refresh
   )
   SELECT ${FOUND}, n IN (SELECT n FROM good) AS done FROM code`,
    ),
    onCitus,
  );
const REDEEM = redemption({
  request: REQUEST,
  condition: 'AND resources IS NULL',
  access: 'scope, claims, now, access_end, auth_time, amr, NULL',
  onCitus: worker.redeem,
});
/** For a code that covers APIs. They are read before, because audience, scope and lifetime of the access token depend on them. */
const REDEEM_FOR_API = redemption({
  request: API_REQUEST,
  condition: '',
  access: `coalesce(access_scope, scope), CASE WHEN audience IS NULL THEN claims END, now, access_end, auth_time, amr,
       audience`,
  onCitus: worker.redeemForApi,
});
/** A request that names an API redeems nothing before it is known what the code covers. */
const FIND = withCitusForm(
  manyStatement(`WITH ${requestsCte(REQUEST)}, ${CODE} SELECT ${FOUND}, false AS done FROM code`),
  worker.findCodeOnly,
);

type RedeemedTokens = Parameters<Codes['redeemCode']>[3];

/** Authorization codes. rules.ts decides whether a code is good. */
export function codes(db: Database, partitions: Partitions, replays: Replays): Codes {
  const judged = async (
    operation: Operation,
    part: StoredApp,
    row: Row | undefined,
    presented: PresentedCode,
    tokens: NewTokens,
    replayed: ((family: TokenFamily) => Event) | undefined,
  ): Promise<RedeemOutcome> => {
    if (!row) return { kind: 'unknown' };
    // An earlier attempt of this call redeemed the code and its answer was lost: no other call knows this grantId.
    const ours = row.grant_id === tokens.grantId && !row.revoked;
    if (ours) return redeemed(row);
    const verdict = judgeCode(toCodeFacts(row), presented, tokens.issuedAt);
    if (verdict === 'replayed') {
      const event = replayed?.(toFamily(row));
      await replays.revoke(operation, { part, grantId: row.grant_id as string, replayedAt: tokens.issuedAt, event });
    }
    return { kind: 'refused', verdict: verdict === 'redeem' ? 'expired' : verdict };
  };

  /** The access token for an API, where the code that was found is good and needs one. Undefined: it needs none. */
  const plannedAccess = (row: Row | undefined, presented: PresentedCode, tokens: RedeemedTokens) => {
    if (!row || row.done || row.revoked || judgeCode(toCodeFacts(row), presented, tokens.issuedAt) !== 'redeem')
      return undefined;
    const access = accessOf(toFamily(row), tokens);
    return access === tokens.access ? undefined : access;
  };

  return {
    addCode: async (app, code) => {
      const { family } = code;
      const { codeHash, nonce = null, redirectUri, codeChallenge = null } = code;
      const { clientAuthenticationRequired, withRefresh, expiresAt } = code;
      const rest = [codeHash, nonce, redirectUri, codeChallenge, clientAuthenticationRequired, withRefresh, expiresAt];
      const locks = [userLock(family.sub), clientLock(app, family.clientId)];
      const operation = db.operation();
      const values = [...familyValues(partOf(db, app, codeHash), family), ...rest];
      const add = () => operation.write(ADD, values, ...locks);
      const rows = await partitions.writing(operation, [['codes', codeHash]], add);
      return issueOutcome(rows);
    },
    redeemCode: async (app, codeHash, presented, tokens, replayed) => {
      const { refresh, grantId, issuedAt } = tokens;
      const { clientId = null, clientAuthenticated, redirectUri, challenge = null } = presented;
      const proof = [clientId, clientAuthenticated, redirectUri, challenge, issuedAt];
      const operation = db.operation();
      const part = partOf(db, app, codeHash);
      const run = async (what: Statement, access: NewAccessToken, ...more: readonly Value[]) => {
        const issue = [grantId, access.hash, access.expiresAt, refresh.hash, refresh.expiresAt];
        const values = [part, codeHash, ...proof, ...issue, grantEnd({ access, refresh }), ...more];
        const places = [
          ['access_tokens', access.hash],
          ['refresh_tokens', refresh.hash],
        ] as const;
        const [row] = await partitions.writing(operation, places, () => operation.write(what, values));
        return row;
      };
      const found = await run(tokens.target?.namesResource ? FIND : REDEEM, tokens.access);
      const access = plannedAccess(found, presented, tokens);
      if (typeof access === 'string') return { kind: 'refused', verdict: access };
      const row =
        access === undefined
          ? found
          : await run(REDEEM_FOR_API, access, access.scope?.join(' ') ?? null, access.audience ?? null);
      return row?.done ? redeemed(row) : judged(operation, part, row, presented, tokens, replayed);
    },
  };
}

function redeemed(row: Row): RedeemOutcome {
  const withRefresh = row.with_refresh as boolean;
  return { kind: 'redeemed', family: toFamily(row), user: toProfile(row), nonce: optional(row.nonce), withRefresh };
}

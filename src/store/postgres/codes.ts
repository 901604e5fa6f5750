import { judgeCode, type PresentedCode } from '../../protocol/code-exchange.ts';
import type { Event } from '../../protocol/event.ts';
import type { Codes, RedeemOutcome } from '../codes.ts';
import { GRANT_SLACK_SECONDS } from '../retention.ts';
import { optional, PROFILE_COLUMNS, type Row, toCodeFacts, toFamily, toProfile } from '../rows.ts';
import type { NewTokens, TokenFamily } from '../tokens.ts';
import type { Database, Operation } from './connection/database.ts';
import { clientLock, userLock } from './connection/locks.ts';
import { lookedUp, manyStatement, statement } from './connection/statement.ts';
import { recordEvent } from './events.ts';
import { familyValues, grantEnd, issueOutcome, MAY_GRANT, NOTE_CLIENT, revokeGrants, SELECT_KNOWN } from './grants.ts';
import type { Partitions } from './schema/partitions.ts';

const ADD = statement(
  `WITH noted AS (${NOTE_CLIENT}), added AS (
   INSERT INTO codes (app, client_id, sid, sub, scope, auth_time, amr, claims, code_hash, nonce, redirect_uri,
                      code_challenge, client_authentication_required, with_refresh, expires_at)
   SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15
   WHERE ${MAY_GRANT} AND EXISTS (SELECT 1 FROM users WHERE sub = $4 AND NOT disabled)
   ON CONFLICT DO NOTHING)
   ${SELECT_KNOWN}`,
);

/** The requests of one statement, in the order of redeemCode below. */
const REQUESTS = `request AS MATERIALIZED (
    SELECT * FROM unnest($1::text[], $2::bytea[], $3::text[], $4::boolean[], $5::text[], $6::text[], $7::bigint[],
      $8::text[], $9::bytea[], $10::bigint[], $11::bytea[], $12::bigint[], $13::bigint[])
      WITH ORDINALITY AS r (app, code_hash, caller, authenticated, requested_uri, challenge, now,
        new_grant, access_hash, access_end, refresh_hash, refresh_end, grant_end, n)
  )`;

/** The code as it is now, with its user. The row lock makes concurrent redemptions see each other's result. */
const CODE = `code AS MATERIALIZED (
    SELECT r.*, c.*, u.sub IS NULL AS revoked, ${PROFILE_COLUMNS}
    FROM request r CROSS JOIN LATERAL (
      SELECT client_id, sub, scope, auth_time, amr, sid, nonce, claims, redirect_uri, code_challenge,
        client_authentication_required, with_refresh, expires_at, grant_id
      FROM codes WHERE codes.app = r.app AND codes.code_hash = r.code_hash FOR UPDATE
    ) c LEFT JOIN ${lookedUp('SELECT * FROM users WHERE sub = c.sub AND NOT disabled')} AS u ON true
  )`;

/** An upsert of a row that exists and is locked, so that it is found by its key: see SUPERSEDE in refresh-tokens.ts. */
const SPEND = `INSERT INTO codes (app, code_hash, client_id, sub, scope, auth_time, amr, redirect_uri,
    client_authentication_required, expires_at, grant_id)
  SELECT app, code_hash, client_id, sub, scope, auth_time, amr, redirect_uri, client_authentication_required, expires_at,
    new_grant FROM good
  ON CONFLICT (app, code_hash) DO UPDATE SET grant_id = excluded.grant_id`;

/**
 * A whole redemption in one statement. It redeems the code under the conditions of `redeem` in protocol/code-exchange.ts. Under
 * all others it changes nothing, and judgeCode makes the verdict from the row that it returns.
 */
const REDEEM = manyStatement(
  `WITH ${REQUESTS}, ${CODE},
   good AS MATERIALIZED (
     SELECT * FROM code WHERE NOT revoked AND grant_id IS NULL AND expires_at > now
       AND (caller IS NULL OR client_id = caller) AND (authenticated OR NOT client_authentication_required)
       AND redirect_uri = requested_uri AND code_challenge IS NOT DISTINCT FROM challenge
   ),
   spent AS (${SPEND}),
   granted AS (
     INSERT INTO grants (app, grant_id, client_id, sub, scope, auth_time, amr, sid, claims, started_at, expires_at)
     SELECT app, new_grant, client_id, sub, scope, auth_time, amr, sid, claims, now,
       CASE WHEN with_refresh THEN grant_end ELSE access_end + ${GRANT_SLACK_SECONDS} END FROM good
   ),
   access AS (
     INSERT INTO access_tokens (app, token_hash, grant_id, client_id, sub, scope, claims, issued_at, expires_at,
       auth_time, amr)
     SELECT app, access_hash, new_grant, client_id, sub, scope, claims, now, access_end, auth_time, amr FROM good
   ),
   refresh AS (
     INSERT INTO refresh_tokens (app, token_hash, grant_id, issued_at, expires_at)
     SELECT app, refresh_hash, new_grant, now, refresh_end FROM good WHERE with_refresh
   )
   SELECT n, client_id, sub, scope, auth_time, amr, sid, nonce, claims, redirect_uri, code_challenge,
     client_authentication_required, with_refresh, expires_at, grant_id, revoked, ${PROFILE_COLUMNS},
     n IN (SELECT n FROM good) AS done FROM code`,
);
const REVOKE = revokeGrants('app = $2 AND grant_id = $3');

/** Authorization codes. protocol/code-exchange.ts decides whether a code is good. */
export function codes(db: Database, partitions: Partitions): Codes {
  const judged = async (
    operation: Operation,
    app: string,
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
      await operation.transaction(async run => {
        const revoked = await run(REVOKE, [tokens.issuedAt, app, row.grant_id as string]);
        if (replayed && revoked.length > 0) await recordEvent(run, replayed(toFamily(row)));
      });
    }
    return { kind: 'refused', verdict: verdict === 'redeem' ? 'expired' : verdict };
  };

  return {
    addCode: async (app, code, receivedAt) => {
      const { family } = code;
      const { codeHash, nonce = null, redirectUri, codeChallenge = null } = code;
      const { clientAuthenticationRequired, withRefresh, expiresAt } = code;
      const rest = [codeHash, nonce, redirectUri, codeChallenge, clientAuthenticationRequired, withRefresh, expiresAt];
      const locks = [userLock(family.sub), clientLock(app, family.clientId)];
      const operation = db.operation(receivedAt);
      const add = () => operation.write(ADD, [...familyValues(app, family), ...rest], ...locks);
      const rows = await partitions.writing(operation, [['codes', codeHash]], add);
      return issueOutcome(rows);
    },
    redeemCode: async (app, codeHash, presented, tokens, replayed, receivedAt) => {
      const { access, refresh, grantId, issuedAt } = tokens;
      const { clientId = null, clientAuthenticated, redirectUri, challenge = null } = presented;
      const proof = [clientId, clientAuthenticated, redirectUri, challenge, issuedAt];
      const issue = [grantId, access.hash, access.expiresAt, refresh.hash, refresh.expiresAt, grantEnd(tokens)];
      const places = [
        ['access_tokens', access.hash],
        ['refresh_tokens', refresh.hash],
      ] as const;
      const operation = db.operation(receivedAt);
      const redeem = () => operation.write(REDEEM, [app, codeHash, ...proof, ...issue]);
      const [row] = await partitions.writing(operation, places, redeem);
      return row?.done ? redeemed(row) : judged(operation, app, row, presented, tokens, replayed);
    },
  };
}

function redeemed(row: Row): RedeemOutcome {
  const withRefresh = row.with_refresh as boolean;
  return { kind: 'redeemed', family: toFamily(row), user: toProfile(row), nonce: optional(row.nonce), withRefresh };
}

import { judgeCode, type PresentedCode } from '../../protocol/code-exchange.ts';
import { optional, type Row, toCodeFacts, toGrant, toProfile } from '../rows.ts';
import type { NewTokens, RedeemOutcome, Tokens } from '../store.ts';
import { againWhenLost, type Database } from './database.ts';
import { given, grantEnd, grantValues, MAY_GRANT, NOTE_CLIENT, revokeGrants, SELECT_KNOWN } from './grants.ts';
import { clientLock, SHARE_TWO, userLock } from './locks.ts';
import type { Partitions } from './partitions.ts';
import { statement } from './statement.ts';

const ADD = statement(
  `WITH noted AS (${NOTE_CLIENT}), added AS (
   INSERT INTO codes (app, client_id, sid, sub, scope, auth_time, amr, claims, code_hash, nonce, redirect_uri,
                      code_challenge, client_authentication_required, expires_at)
   SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14 WHERE ${MAY_GRANT}
   ON CONFLICT DO NOTHING)
   ${SELECT_KNOWN}`,
);

/** The code as it is now, with its owner. Locked: of many callers each sees what the one before it did. */
const CODE = `SELECT c.client_id, c.sub, c.scope, c.auth_time, c.amr, c.sid, c.nonce, c.claims, c.redirect_uri,
    c.code_challenge, c.client_authentication_required, c.expires_at, c.grant_id, u.sub IS NULL AS ownerless, u.username, u.nickname, u.picture, u.email, u.email_verified,
    u.phone_number, u.phone_number_verified, u.updated_at
  FROM codes c LEFT JOIN users u ON u.sub = c.sub AND NOT u.disabled
  WHERE c.app = $1 AND c.code_hash = $2 FOR UPDATE OF c`;

/**
 * All of a redemption in one statement. It goes ahead where protocol/code-exchange.ts would say `redeem`; in every other
 * case it changes nothing, and the verdict is made of the facts that come back.
 */
const REDEEM = statement(
  `WITH code AS MATERIALIZED (${CODE}),
   good AS MATERIALIZED (
     SELECT * FROM code WHERE NOT ownerless AND grant_id IS NULL AND expires_at > $7
       AND ($3::text IS NULL OR client_id = $3) AND ($4::boolean OR NOT client_authentication_required)
       AND redirect_uri = $5 AND code_challenge IS NOT DISTINCT FROM $6
   ),
   spent AS (UPDATE codes c SET grant_id = $8 FROM good WHERE c.app = $1 AND c.code_hash = $2),
   granted AS (
     INSERT INTO grants (app, grant_id, client_id, sub, scope, auth_time, amr, sid, claims, expires_at)
     SELECT $1, $8, client_id, sub, scope, auth_time, amr, sid, claims, $13 FROM good
   ),
   access AS (
     INSERT INTO access_tokens (app, token_hash, grant_id, client_id, sub, scope, claims, issued_at, expires_at)
     SELECT $1, $9, $8, client_id, sub, scope, claims, $7, $10 FROM good
   ),
   refresh AS (
     INSERT INTO refresh_tokens (app, token_hash, grant_id, issued_at, expires_at)
     SELECT $1, $11, $8, $7, $12 FROM good
   )
   SELECT code.*, EXISTS (SELECT 1 FROM good) AS done FROM code`,
);
const REVOKE = revokeGrants('app = $2 AND grant_id = $3');

/** Authorization codes: protocol/code-exchange.ts judges. */
export function codes(db: Database, partitions: Partitions): Pick<Tokens, 'addCode' | 'redeemCode'> {
  const judged = async (
    app: string,
    row: Row | undefined,
    presented: PresentedCode,
    tokens: NewTokens,
  ): Promise<RedeemOutcome> => {
    if (!row) return { kind: 'unknown' };
    // Redeemed by this very call, whose answer was lost: nobody else knows our grant.
    const ours = row.grant_id === tokens.grantId && !row.ownerless;
    if (row.done || ours) return redeemed(row);
    const verdict = judgeCode(toCodeFacts(row), presented, tokens.issuedAt);
    if (verdict === 'replayed') await db.write(REVOKE, [tokens.issuedAt, app, row.grant_id as string]);
    return { kind: 'refused', verdict: verdict === 'redeem' ? 'invalid' : verdict };
  };

  return {
    addCode: async (app, code) => {
      const { grant } = code;
      const { codeHash, nonce = null, redirectUri, codeChallenge = null } = code;
      const asked = [codeHash, nonce, redirectUri, codeChallenge, code.clientAuthenticationRequired, code.expiresAt];
      const add = () =>
        db.together([
          [SHARE_TWO, [userLock(grant.sub), clientLock(app, grant.clientId)]],
          [ADD, [...grantValues(app, grant), ...asked]],
        ]);
      const [, rows] = await partitions.writing([['codes', codeHash]], () => againWhenLost(add));
      return given(rows);
    },
    redeemCode: async (app, codeHash, presented, tokens) => {
      const { access, refresh, grantId, issuedAt } = tokens;
      const { clientId = null, clientAuthenticated, redirectUri, challenge = null } = presented;
      const proof = [clientId, clientAuthenticated, redirectUri, challenge, issuedAt];
      const issue = [grantId, access.hash, access.expiresAt, refresh.hash, refresh.expiresAt, grantEnd(tokens)];
      const places = [
        ['access_tokens', access.hash],
        ['refresh_tokens', refresh.hash],
      ] as const;
      const redeem = () => db.write(REDEEM, [app, codeHash, ...proof, ...issue]);
      const [row] = await partitions.writing(places, () => againWhenLost(redeem));
      return judged(app, row, presented, tokens);
    },
  };
}

function redeemed(row: Row): RedeemOutcome {
  return { kind: 'redeemed', grant: toGrant(row), user: toProfile(row), nonce: optional(row.nonce) };
}

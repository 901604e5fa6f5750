import { prepareRecordEvent } from '../../audit/events/sqlite.ts';
import { toProfile, USER_COLUMNS } from '../../directory/users/rows.store.ts';
import { optional, type Row } from '../../platform/store/row.ts';
import type { Database } from '../../platform/store/sqlite/database.ts';
import {
  prepareAddFamily,
  prepareAuthorizedWrite,
  prepareLoginCheck,
  prepareRevokeGrant,
} from '../token/grants.sqlite.ts';
import { fromResources } from '../token/resource-cells.store.ts';
import { fromClaims, toFamily } from '../token/rows.store.ts';
import { accessOf } from '../token/store.ts';
import { consentWithdrawn } from './revoke.sqlite.ts';
import { toCodeFacts } from './rows.store.ts';
import { judgeCode } from './rules.ts';
import type { Codes, NewCode, RedeemOutcome } from './store.ts';

/** Authorization codes. rules.ts decides whether a code is good, inside the transaction that redeems it. */
export function codes(db: Database): Codes {
  const insert = db.prepare(
    `INSERT INTO codes (app, code_hash, client_id, sub, scope, auth_time, amr, sid, nonce, redirect_uri, code_challenge,
                        client_authentication_required, with_refresh, expires_at, claims, resources, withdrawal)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16,
             (SELECT withdrawal FROM withdrawn_consents WHERE sub = ?4 AND app = ?1 AND client_id = ?3))`,
  );
  const find = db.prepare(
    `SELECT ${USER_COLUMNS}, c.*,
            u.sub IS NULL OR EXISTS (SELECT 1 FROM ended_sessions e WHERE e.sid = c.sid)
              OR ${consentWithdrawn('c')} AS revoked
     FROM codes c LEFT JOIN users u ON u.sub = c.sub AND u.disabled = 0
     WHERE c.app = ? AND c.code_hash = ?`,
  );
  const writeIfAuthorized = prepareAuthorizedWrite(db);
  const spend = db.prepare('UPDATE codes SET grant_id = ? WHERE app = ? AND code_hash = ?');
  const mayGetIn = prepareLoginCheck(db);
  const isEnabled = (sub: string) => mayGetIn(sub, undefined);
  const revoke = prepareRevokeGrant(db);
  const record = prepareRecordEvent(db);
  const addTokens = prepareAddFamily(db);

  const redeem: Codes['redeemCode'] = (app, codeHash, presented, tokens, replayed) =>
    db.write((): RedeemOutcome => {
      const row = find.get(app, codeHash) as Row | undefined;
      if (!row) return { kind: 'unknown' };
      const facts = toCodeFacts(row);
      const verdict = judgeCode(row.revoked === 1 ? { ...facts, expiresAt: 0 } : facts, presented, tokens.issuedAt);
      if (verdict === 'replayed') {
        const revoked = revoke(app, row.grant_id as string, tokens.issuedAt);
        if (revoked && replayed) record(replayed(toFamily(row)));
      }
      if (verdict !== 'redeem') return { kind: 'refused', verdict };
      const family = toFamily(row);
      const access = accessOf(family, tokens);
      if (typeof access === 'string') return { kind: 'refused', verdict: access };
      spend.run(tokens.grantId, app, codeHash);
      const withRefresh = row.with_refresh === 1;
      addTokens(app, family, { ...tokens, access, refresh: withRefresh ? tokens.refresh : undefined });
      return { kind: 'redeemed', family, user: toProfile(row), nonce: optional(row.nonce), withRefresh };
    });

  const add: Codes['addCode'] = (app, code) =>
    db.write(() =>
      writeIfAuthorized(app, code.family, () => {
        if (isEnabled(code.family.sub)) insert.run(...codeValues(app, code));
      }),
    );
  return { addCode: add, redeemCode: redeem };
}

function codeValues(app: string, { family, ...code }: NewCode): (string | number | Uint8Array | null)[] {
  return [
    app,
    code.codeHash,
    family.clientId,
    family.sub,
    family.scope.join(' '),
    family.authTime,
    family.amr.join(' '),
    family.sid ?? null,
    code.nonce ?? null,
    code.redirectUri,
    code.codeChallenge ?? null,
    code.clientAuthenticationRequired ? 1 : 0,
    code.withRefresh ? 1 : 0,
    code.expiresAt,
    fromClaims(family.claims),
    fromResources(family),
  ];
}

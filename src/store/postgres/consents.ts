import type { Scope } from '../../protocol/scope.ts';
import type { Consents } from '../consents.ts';
import { toClientGrant, words } from '../rows.ts';
import type { Database } from './connection/database.ts';
import { takeLocks, userLock } from './connection/locks.ts';
import { statement } from './connection/statement.ts';
import { revokeCodes, revokeGrants } from './grants.ts';

const ADD = statement(
  `INSERT INTO consents (sub, app, client_id, scope, given_at) VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT (sub, app, client_id) DO UPDATE SET given_at = excluded.given_at, scope = (
     SELECT coalesce(string_agg(DISTINCT word, ' '), '')
     FROM unnest(string_to_array(consents.scope, ' ') || string_to_array(excluded.scope, ' ')) AS word
   )`,
);
const LIST = statement('SELECT app, client_id, scope, given_at FROM consents WHERE sub = $1 ORDER BY app, client_id');
const GRANTS = statement(
  `SELECT DISTINCT app, client_id, scope, claims FROM grants WHERE sub = $1 AND revoked_at IS NULL AND expires_at > $2
   ORDER BY app, client_id`,
);
const REMOVE = statement('DELETE FROM consents WHERE sub = $1 AND app = $2 AND client_id = $3');
const REVOKE_CODES = revokeCodes('sub = $2 AND app = $3 AND client_id = $4');
const REVOKE = revokeGrants('sub = $2 AND app = $3 AND client_id = $4');

export function consents(db: Database): Consents {
  return {
    addConsent: async (sub, app, clientId, scope, now, receivedAt) => {
      await db.write(ADD, [sub, app, clientId, scope.join(' '), now], receivedAt);
    },
    consentsOf: async (sub, receivedAt) =>
      (await db.read(LIST, [sub], receivedAt)).map(row => ({
        app: row.app as string,
        clientId: row.client_id as string,
        scope: words(row.scope) as Scope[],
        givenAt: row.given_at as number,
      })),
    grantsOf: async (sub, now, receivedAt) => (await db.read(GRANTS, [sub, now], receivedAt)).map(toClientGrant),
    withdrawConsent: async (sub, app, clientId, now, receivedAt) => {
      // Codes before grants: a redemption under way is waited for, and its grant is seen by the statement that follows.
      await db.transaction(async run => {
        await takeLocks(run, { alone: [userLock(sub)] });
        await run(REMOVE, [sub, app, clientId]);
        await run(REVOKE_CODES, [now, sub, app, clientId]);
        await run(REVOKE, [now, sub, app, clientId]);
      }, receivedAt);
    },
  };
}

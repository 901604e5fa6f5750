import type { Scope } from '../../protocol/scope.ts';
import type { Consents } from '../consents.ts';
import { ENDED_KEPT } from '../retention.ts';
import { type Row, toClientGrant, words } from '../rows.ts';
import type { Database } from './connection/database.ts';

export function consents(db: Database): Consents {
  const find = db.prepare('SELECT scope FROM consents WHERE sub = ? AND app = ? AND client_id = ?');
  const put = db.prepare(
    'INSERT OR REPLACE INTO consents (sub, app, client_id, scope, given_at) VALUES (?, ?, ?, ?, ?)',
  );
  const list = db.prepare('SELECT app, client_id, scope, given_at FROM consents WHERE sub = ? ORDER BY app, client_id');
  const grants = db.prepare(
    `SELECT DISTINCT app, client_id, scope, claims FROM grants WHERE sub = ? AND revoked_at IS NULL AND expires_at > ?
     ORDER BY app, client_id`,
  );
  const remove = db.prepare('DELETE FROM consents WHERE sub = ? AND app = ? AND client_id = ?');
  const revoke = db.prepare(
    'UPDATE grants SET revoked_at = ? WHERE sub = ? AND app = ? AND client_id = ? AND revoked_at IS NULL',
  );
  /** Its name is new each time: codes note it, so that redeemCode knows those from before (consentWithdrawn). */
  const note = db.prepare(
    `INSERT OR REPLACE INTO withdrawn_consents (sub, app, client_id, withdrawal, expires_at)
     VALUES (?, ?, ?, hex(randomblob(8)), ?)`,
  );
  return {
    addConsent: (sub, app, clientId, scope, now) =>
      db.write(() => {
        const before = find.get(sub, app, clientId)?.scope;
        const all = new Set([...(before === undefined ? [] : words(before as string)), ...scope]);
        put.run(sub, app, clientId, [...all].join(' '), now);
      }),
    consentsOf: sub =>
      db.read(() =>
        (list.all(sub) as Row[]).map(row => ({
          app: row.app as string,
          clientId: row.client_id as string,
          scope: words(row.scope) as Scope[],
          givenAt: row.given_at as number,
        })),
      ),
    grantsOf: (sub, now) => db.read(() => (grants.all(sub, now) as Row[]).map(toClientGrant)),
    withdrawConsent: (sub, app, clientId, now) =>
      db.write(() => {
        remove.run(sub, app, clientId);
        revoke.run(now, sub, app, clientId);
        note.run(sub, app, clientId, now + ENDED_KEPT);
      }),
  };
}

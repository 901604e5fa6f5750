import { prepareRecordEvent } from '../../audit/events/sqlite.ts';
import { prepareDenyApproved } from '../../oauth/polled-grant/sqlite.ts';
import { END_RETENTION_SECONDS } from '../../platform/store/retention.ts';
import { words } from '../../platform/store/row.ts';
import type { Database } from '../../platform/store/sqlite/database.ts';
import type { ColdDatabase } from '../../platform/store/steps.ts';
import { coldConsents } from './queries.ts';
import type { Consents } from './store.ts';

export function consents(db: Database, cold: ColdDatabase): Consents {
  const find = db.prepare(
    `SELECT scope FROM clients c LEFT JOIN consents g ON g.sub = ? AND g.app = c.app AND g.client_id = c.client_id
     WHERE c.app = ? AND c.client_id = ?`,
  );
  const put = db.prepare(
    'INSERT OR REPLACE INTO consents (sub, app, client_id, scope, given_at) VALUES (?, ?, ?, ?, ?)',
  );
  const withdraw = prepareWithdrawConsent(db);
  const record = prepareRecordEvent(db);
  return {
    ...coldConsents(cold),
    addConsent: (sub, app, clientId, scope, now, event) =>
      db.write(() => {
        const agreed = find.get(sub, app, clientId);
        if (!agreed) return;
        const all = new Set([...words((agreed.scope as string | null) ?? ''), ...scope]);
        put.run(sub, app, clientId, [...all].join(' '), now);
        if (event) record(event);
      }),
    withdrawConsent: (sub, app, clientId, now, event) =>
      db.write(() => {
        if (withdraw(sub, app, clientId, now) && event) record(event);
      }),
  };
}

/** Runs inside a write. False: there was neither a consent nor a grant. */
export function prepareWithdrawConsent(
  db: Database,
): (sub: string, app: string, clientId: string, now: number) => boolean {
  const remove = db.prepare('DELETE FROM consents WHERE sub = ? AND app = ? AND client_id = ?');
  const revoke = db.prepare(
    'UPDATE grants SET revoked_at = ? WHERE sub = ? AND app = ? AND client_id = ? AND revoked_at IS NULL',
  );
  const denyApproved = prepareDenyApproved(db, 'sub = ? AND app = ? AND client_id = ?');
  /**
   * Each withdrawal has a new random name. A code stores the name it knows, so redeemCode recognises older codes
   * (consentWithdrawn). A client has a row before its first code, also one whose client_id is an address; without one, nothing is
   * written: whoever is signed in could fill the database with names of clients.
   */
  const note = db.prepare(
    `INSERT OR REPLACE INTO withdrawn_consents (sub, app, client_id, withdrawal, expires_at)
     SELECT ?1, ?2, ?3, hex(randomblob(8)), ?4 WHERE EXISTS (SELECT 1 FROM clients WHERE app = ?2 AND client_id = ?3)`,
  );
  return (sub, app, clientId, now) => {
    const [removed, revoked] = [remove.run(sub, app, clientId), revoke.run(now, sub, app, clientId)];
    denyApproved(sub, app, clientId);
    note.run(sub, app, clientId, now + END_RETENTION_SECONDS);
    return removed.changes > 0 || revoked.changes > 0;
  };
}

import { recordEvent } from '../../audit/events/postgres.ts';
import { denyApprovedBy } from '../../oauth/polled-grant/postgres.ts';
import { revokeCodes, revokeGrants } from '../../oauth/token/grants.postgres.ts';
import { onAllParts } from '../../platform/store/citus/parts.ts';
import type { Database } from '../../platform/store/postgres/database.ts';
import { clientLock, takeLocks, userLock } from '../../platform/store/postgres/locks.ts';
import { type Run, statement } from '../../platform/store/postgres/statement.ts';
import { words } from '../../platform/store/row.ts';
import type { ColdDatabase } from '../../platform/store/steps.ts';
import { coldConsents } from './queries.ts';
import type { Consents } from './store.ts';

const AGREED = statement(
  `SELECT scope FROM clients c LEFT JOIN consents g ON g.sub = $1 AND g.app = c.app AND g.client_id = c.client_id
   WHERE c.app = $2 AND c.client_id = $3`,
);
const PUT = statement(
  `INSERT INTO consents (sub, app, client_id, scope, given_at) VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT (sub, app, client_id) DO UPDATE SET given_at = excluded.given_at, scope = excluded.scope`,
);
const REMOVE = statement('DELETE FROM consents WHERE sub = $1 AND app = $2 AND client_id = $3 RETURNING 1');
const denyApproved = denyApprovedBy('sub = $1 AND app = $2 AND client_id = $3');
const REVOKE_CODES = onAllParts(app => revokeCodes(`sub = $2 AND ${app} = $3 AND client_id = $4`));
const REVOKE = onAllParts(app => revokeGrants(`sub = $2 AND ${app} = $3 AND client_id = $4`));

export function consents(db: Database, cold: ColdDatabase): Consents {
  return {
    ...coldConsents(cold),
    addConsent: async (sub, app, clientId, scope, now, event) => {
      await db.transaction(async run => {
        // With the locks, no consent that is given or withdrawn at the same time is lost, and none stays of a client that is deleted. They
        // are sent together, in their order.
        const ofClient = takeLocks(run, { shared: [clientLock(app, clientId)] });
        await Promise.all([ofClient, takeLocks(run, { alone: [userLock(sub)] })]);
        const [agreed] = await run(AGREED, [sub, app, clientId]);
        if (!agreed) return;
        const all = new Set([...words(agreed.scope ?? ''), ...scope]);
        await run(PUT, [sub, app, clientId, [...all].sort().join(' '), now]);
        if (event) await recordEvent(run, event);
      });
    },
    withdrawConsent: async (sub, app, clientId, now, event) => {
      await db.transaction(async run => {
        await takeLocks(run, { alone: [userLock(sub)] });
        const withdrawn = await withdrawConsent(run, sub, app, clientId, now);
        if (withdrawn && event) await recordEvent(run, event);
      });
    },
  };
}

/** The transaction holds the user's lock. False: there was neither a consent nor a grant. */
export async function withdrawConsent(
  run: Run,
  sub: string,
  app: string,
  clientId: string,
  now: number,
): Promise<boolean> {
  const removed = await run(REMOVE, [sub, app, clientId]);
  // Codes before grants: the first statement waits for redemptions that are running, and the second then sees their grants.
  await run(REVOKE_CODES, [now, sub, app, clientId]);
  await denyApproved(run, [sub, app, clientId]);
  const revoked = await run(REVOKE, [now, sub, app, clientId]);
  return removed.length + revoked.length > 0;
}

import type { Database } from '../../platform/store/postgres/database.ts';
import { statement } from '../../platform/store/postgres/statement.ts';
import type { ColdDatabase } from '../../platform/store/steps.ts';
import { coldQueue } from './queries.ts';
import type { Queue } from './store.ts';

/** Skips the notices that another node is taking at this moment. MATERIALIZED: see SKIP_LOCKED. */
const TAKE = statement(
  `WITH due AS MATERIALIZED (SELECT id FROM logout_notices WHERE due_at <= $1 AND app || ' ' || client_id <> ALL ($4)
     ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED)
   UPDATE logout_notices n SET due_at = $2, attempts = n.attempts + 1 FROM due
   WHERE n.id = due.id RETURNING n.id, n.app, n.client_id, n.sub, n.sid, n.attempts`,
);

export function queue(db: Database, cold: ColdDatabase): Queue {
  return {
    ...coldQueue(cold),
    takeLogoutNotices: async (now, leaseUntil, limit, busy = []) =>
      (await db.write(TAKE, [now, leaseUntil, limit, busy])).map(row => ({
        id: String(row.id),
        app: row.app as string,
        clientId: row.client_id as string,
        sub: row.sub as string,
        sid: row.sid as string,
        attempts: row.attempts as number,
      })),
  };
}

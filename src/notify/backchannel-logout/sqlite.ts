import type { Row } from '../../platform/store/row.ts';
import type { Database } from '../../platform/store/sqlite/database.ts';
import type { ColdDatabase } from '../../platform/store/steps.ts';
import { coldQueue } from './queries.ts';
import type { Queue } from './store.ts';

export function queue(db: Database, cold: ColdDatabase): Queue {
  const due = db.prepare(
    `SELECT * FROM logout_notices WHERE due_at <= ? AND app || ' ' || client_id NOT IN (SELECT value FROM json_each(?))
     ORDER BY due_at LIMIT ?`,
  );
  const lease = db.prepare('UPDATE logout_notices SET due_at = ?, attempts = attempts + 1 WHERE id = ?');
  return {
    ...coldQueue(cold),
    takeLogoutNotices: async (now, leaseUntil, limit, busy = []) => {
      const others = JSON.stringify(busy);
      // Most of the time no notice is due, and this read saves a write.
      const waiting = await db.read(() => due.get(now, others, 1));
      if (!waiting) return [];
      return db.write(() =>
        (due.all(now, others, limit) as Row[]).map(row => {
          lease.run(leaseUntil, row.id as number);
          return {
            id: String(row.id),
            app: row.app as string,
            clientId: row.client_id as string,
            sub: row.sub as string,
            sid: row.sid as string,
            attempts: (row.attempts as number) + 1,
          };
        }),
      );
    },
  };
}

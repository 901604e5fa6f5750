import type { Row } from '../../platform/store/row.ts';
import { among, SKIP_LOCKED, sql } from '../../platform/store/sql.ts';
import type { ColdDatabase } from '../../platform/store/steps.ts';
import type { Ping, Pings } from './store.ts';

export function coldPings(db: ColdDatabase): Pings {
  return {
    takePings: async (now, leaseUntil, limit, busy = []) => {
      const due = sql`SELECT id FROM backchannel_pings WHERE due_at <= ${now}
        AND NOT (app || ' ' || client_id ${among(busy)}) ORDER BY due_at, id LIMIT ${limit} ${SKIP_LOCKED}`;
      // Most of the time none is due, and this read saves a write.
      if ((await db.read(sql`SELECT 1 FROM backchannel_pings WHERE due_at <= ${now} LIMIT 1`)).length === 0) return [];
      const taken = await db.write(
        sql`WITH due AS MATERIALIZED (${due})
          UPDATE backchannel_pings SET due_at = ${leaseUntil}, attempts = attempts + 1 WHERE id IN (SELECT id FROM due)
          RETURNING id, app, client_id, sealed, attempts, expires_at`,
      );
      return taken.map(toPing);
    },
    finishPing: async id => {
      await db.write(sql`DELETE FROM backchannel_pings WHERE id = ${id}`);
    },
    postponePing: async (id, dueAt) => {
      await db.write(sql`UPDATE backchannel_pings SET due_at = ${dueAt} WHERE id = ${id}`);
    },
  };
}

function toPing(row: Row): Ping {
  return {
    id: row.id as string,
    app: row.app as string,
    clientId: row.client_id as string,
    sealed: new Uint8Array(row.sealed as Uint8Array),
    attempts: Number(row.attempts),
    expiresAt: Number(row.expires_at),
  };
}

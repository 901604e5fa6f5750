import { recordEvent } from '../../audit/events/queries.ts';
import { sql } from '../../platform/store/sql.ts';
import { type ColdDatabase, rowsOf, runAll } from '../../platform/store/steps.ts';
import type { ApprovalCodes } from './store.ts';

export function coldApprovalCodes(db: ColdDatabase): ApprovalCodes {
  return {
    approvalCodeOf: async sub => {
      const [row] = await db.read(sql`SELECT hash, set_at FROM approval_codes WHERE sub = ${sub}`);
      return row && { hash: row.hash as string, setAt: Number(row.set_at) };
    },
    setApprovalCode: (sub, { hash, setAt }, event) =>
      db.transaction(function* () {
        yield* runAll([
          sql`INSERT INTO approval_codes (sub, hash, set_at) VALUES (${sub}, ${hash}, ${setAt})
            ON CONFLICT (sub) DO UPDATE SET hash = excluded.hash, set_at = excluded.set_at`,
          recordEvent(event),
        ]);
      }),
    removeApprovalCode: (sub, event) =>
      db.transaction(function* () {
        const removed = yield* rowsOf(sql`DELETE FROM approval_codes WHERE sub = ${sub} RETURNING 1`);
        if (removed.length > 0) yield* runAll([recordEvent(event)]);
      }),
  };
}

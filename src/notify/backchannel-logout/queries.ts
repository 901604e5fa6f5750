import { sql } from '../../platform/store/sql.ts';
import type { ColdDatabase } from '../../platform/store/steps.ts';
import type { Queue } from './store.ts';

export function coldQueue(db: ColdDatabase): Pick<Queue, 'finishLogoutNotice' | 'postponeLogoutNotice'> {
  return {
    finishLogoutNotice: async id => {
      await db.write(sql`DELETE FROM logout_notices WHERE id = ${Number(id)}`);
    },
    postponeLogoutNotice: async (id, dueAt) => {
      await db.write(sql`UPDATE logout_notices SET due_at = ${dueAt} WHERE id = ${Number(id)}`);
    },
  };
}

import { sql } from '../../platform/store/sql.ts';
import type { ColdDatabase } from '../../platform/store/steps.ts';
import type { AccountDeletions } from './store.ts';

/** What the job asks, on most days for nothing. */
export function coldDueDeletions(db: ColdDatabase): Pick<AccountDeletions, 'dueDeletions'> {
  return {
    dueDeletions: async (now, limit) => {
      const due = sql`SELECT sub FROM account_deletions WHERE due_at <= ${now} ORDER BY due_at, sub LIMIT ${limit}`;
      return (await db.read(due)).map(({ sub }) => sub as string);
    },
  };
}

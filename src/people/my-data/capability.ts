import { capability, from, step } from '../../capability.ts';
import { operationsOf } from '../../operators/api/operation-table.ts';
import { pageOf } from '../../platform/http/route.ts';
import { jobOf } from '../../platform/jobs/job.ts';
import { storePart } from '../../platform/store/late-part.ts';
import { keepAccountRule } from './keep-account.rules.ts';
import type { AccountDeletions } from './store.ts';
import { myDataTables } from './tables.ts';

/** What the server knows of a user, to take along or to delete: /account/data, and the step that asks whether a deleted account is kept. */
export const myData = capability('people/my-data', {
  routes: [
    pageOf('/account/data', () => import('./page.ts'), 'showData', 'submitData'),
    pageOf('/account/data/delete', () => import('./delete-account.ts'), 'showDeleteAccount', 'submitDeleteAccount'),
  ],
  steps: {
    'keep-account': step(keepAccountRule, () => import('./keep-account.step.ts'), 'keepAccount'),
  },
  operations: [
    operationsOf(() => import('./operations.ts'), { '/users/{sub}/export': { GET: 'exportUser' } }).onCommandLine(
      'users',
      {
        export: { operation: 'exportUser', arguments: ['sub'], example: 'SUB --json > person.json' },
      },
    ),
  ],
  console: { '/console/users/{sub}/export': from(() => import('./export.console.ts'), 'exportPage') },
  jobs: [
    jobOf(
      { name: 'deletions', everyMs: 60_000, runs: 'once on a machine' },
      () => import('./job.ts'),
      'deleteDueAccounts',
    ),
  ],
  tables: myDataTables,
  store: [
    storePart<Omit<AccountDeletions, 'dueDeletions'>>(
      { scheduleDeletion: true, keepAccount: true, deleteDueAccount: true },
      async () => (await import('./queries.ts')).coldAccountDeletions,
    ),
  ],
});

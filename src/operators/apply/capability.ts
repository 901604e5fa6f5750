import { capability } from '../../capability.ts';
import { storePart } from '../../platform/store/late-part.ts';
import { operationsOf } from '../api/operation-table.ts';
import type { Provisioning } from './store.ts';

/** The apply file: `gatehouse apply`, `diff` and `export`, and the same at the admin API. */
export const applyFiles = capability('operators/apply', {
  operations: [
    {
      ...operationsOf(() => import('./operations.ts'), {
        '/apply': { POST: 'applyFile' },
        '/diff': { POST: 'diffFile' },
      }),
      takeFiles: true,
    },
    operationsOf(() => import('./operations.ts'), {
      '/export/applications': { GET: 'exportApplications' },
      '/export/providers': { GET: 'exportProviders' },
      '/export/users': { GET: 'exportUsers' },
    }),
  ],
  store: [
    storePart<Provisioning>(
      { provision: true, accountsAfter: true },
      async () => (await import('./queries.ts')).coldProvisioning,
    ),
  ],
});

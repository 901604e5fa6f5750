import { capability } from '../../capability.ts';
import { operationsOf } from '../api/operation-table.ts';

/** Users from the file of another system: `gatehouse import users`, and the same in parts at the admin API. */
export const userImport = capability('operators/import', {
  operations: [
    {
      ...operationsOf(() => import('./operations.ts'), { '/users/import': { POST: 'importUsers' } }),
      takeFiles: true,
    },
  ],
});

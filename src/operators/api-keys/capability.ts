import { capability, from } from '../../capability.ts';
import { operationsOf } from '../api/operation-table.ts';
import { apiKeyTables } from './tables.ts';

/** Keys of the admin API. */
export const apiKeys = capability('operators/api-keys', {
  operations: [
    operationsOf(() => import('./operations.ts'), {
      '/api_keys': { GET: 'listApiKeys', POST: 'createApiKey' },
      '/api_keys/{id}': { DELETE: 'deleteApiKey' },
    }),
  ],
  console: {
    '/console/api-keys': from(() => import('./console.ts'), 'apiKeys'),
  },
  tables: apiKeyTables,
});

import { capability, from } from '../../capability.ts';
import { operationsOf } from '../api/operation-table.ts';
import { apiKeyTables } from './tables.ts';

/** Keys of the admin API. */
export const apiKeys = capability('operators/api-keys', {
  nouns: { 'api-keys': { order: 50, summary: 'list, create and delete keys of the admin API' } },
  operations: [
    operationsOf(() => import('./operations.ts'), {
      '/api_keys': { GET: 'listApiKeys', POST: 'createApiKey' },
      '/api_keys/{id}': { DELETE: 'deleteApiKey' },
    }).onCommandLine('api-keys', {
      list: { operation: 'listApiKeys' },
      create: { operation: 'createApiKey', example: '--name ci --role operator --applications shop --json' },
      delete: { operation: 'deleteApiKey', arguments: ['id'], example: 'key_0123456789abcdef01234567' },
    }),
  ],
  console: {
    '/console/api-keys': from(() => import('./console.ts'), 'apiKeys'),
  },
  tables: apiKeyTables,
});

import { capability, from } from '../../capability.ts';
import { operationsOf } from '../api/operation-table.ts';
import { overviewTables } from './tables.ts';

/** The state of the deployment: the first page of the console, /status of the admin API, `gatehouse status`. */
export const overview = capability('operators/overview', {
  operations: [
    operationsOf(() => import('./operations.ts'), {
      '/status': { GET: 'getStatus' },
    }),
  ],
  console: {
    '/console/settings': from(() => import('./settings.console.ts'), 'settings'),
    '/console': from(() => import('./console.ts'), 'overview'),
  },
  tables: overviewTables,
});

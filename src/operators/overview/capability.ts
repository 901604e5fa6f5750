import { capability, from, placeOf } from '../../capability.ts';
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
    '/console/status': from(() => import('./status.console.ts'), 'status'),
    '/console/settings': from(() => import('./settings.console.ts'), 'settings'),
    '/console': from(() => import('./console.ts'), 'overview'),
  },
  tables: overviewTables,
  places: {
    overview: placeOf('/console', 10, 'getStatistics', () => import('./console.text.ts'), 'overviewPlace', {
      group: 'top',
      icon: 'home',
    }),
    status: placeOf('/console/status', 75, 'getStatus', () => import('./console.text.ts'), 'statusPlace', {
      group: 'deployment',
      icon: 'status',
    }),
    settings: placeOf('/console/settings', 80, 'getStatus', () => import('./console.text.ts'), 'settingsPlace', {
      group: 'deployment',
      icon: 'settings',
    }),
  },
});

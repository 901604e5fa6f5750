import { capability, from, placeOf } from '../../capability.ts';
import { operationsOf } from '../../operators/api/operation-table.ts';
import { refusalTables } from './tables.ts';

/** Refused requests of the last seven days. */
export const refusals = capability('audit/refusals', {
  operations: [
    operationsOf(() => import('./operations.ts'), {
      '/refusal_groups': { GET: 'listRefusalGroups' },
      '/refusals': { GET: 'listRefusals' },
    }),
  ],
  console: {
    '/console/refusals': from(() => import('./console.ts'), 'refusals'),
  },
  tables: refusalTables,
  places: {
    refusals: placeOf(
      '/console/refusals',
      50,
      'listRefusalGroups',
      () => import('./console.text.ts'),
      'refusalsPlace',
      {
        group: 'happened',
        icon: 'refusals',
      },
    ),
  },
});

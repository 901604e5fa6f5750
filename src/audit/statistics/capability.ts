import { capability, from } from '../../capability.ts';
import { operationsOf } from '../../operators/api/operation-table.ts';
import { statisticsTables } from './tables.ts';

/** What happened, as numbers by hour or by day. */
export const statistics = capability('audit/statistics', {
  operations: [
    operationsOf(() => import('./operations.ts'), {
      '/statistics': { GET: 'getStatistics' },
    }),
  ],
  jobs: [
    {
      name: 'statistics',
      everyMs: 60_000,
      runs: 'in every process',
      load: from(() => import('./job.ts'), 'flushStatistics'),
    },
  ],
  tables: statisticsTables,
});

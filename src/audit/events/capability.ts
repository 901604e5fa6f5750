import { capability, from } from '../../capability.ts';
import { operationsOf } from '../../operators/api/operation-table.ts';
import { eventTables } from './tables.ts';

/** The audit log: events, their hash chain, their list for operators. */
export const events = capability('audit/events', {
  operations: [
    operationsOf(() => import('./operations.ts'), {
      '/events': { GET: 'listEvents' },
    }),
  ],
  console: {
    '/console/activity': from(() => import('./console.ts'), 'activity'),
    '/console/activity/export': from(() => import('./export.console.ts'), 'activityExport'),
  },
  jobs: [
    { name: 'events', everyMs: 1000, runs: 'once on a machine', load: from(() => import('./job.ts'), 'seal') },
    { name: 'events.prune', everyMs: 60_000, runs: 'once on a machine', load: from(() => import('./job.ts'), 'prune') },
  ],
  tables: eventTables,
});

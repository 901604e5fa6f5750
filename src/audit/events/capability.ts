import { capability, from, placeOf } from '../../capability.ts';
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
  places: {
    activity: placeOf('/console/activity', 40, 'listEvents', () => import('./console.text.ts'), 'activityPlace', {
      group: 'happened',
      icon: 'activity',
    }),
  },
  jobs: [
    { name: 'events', everyMs: 1000, runs: 'once on a machine', load: from(() => import('./job.ts'), 'seal') },
    { name: 'events.prune', everyMs: 60_000, runs: 'once on a machine', load: from(() => import('./job.ts'), 'prune') },
  ],
  tables: eventTables,
});

import { capability, from } from '../../capability.ts';
import { operationsOf } from '../../operators/api/operation-table.ts';
import { applicationTables } from './tables.ts';

/** Applications: each is an issuer with its own clients, keys and tokens. */
export const applications = capability('directory/applications', {
  operations: [
    operationsOf(() => import('./operations.ts'), {
      '/applications': { GET: 'listApplications', POST: 'createApplication' },
      '/applications/{code}': { GET: 'getApplication', PATCH: 'updateApplication', DELETE: 'deleteApplication' },
      '/applications/{code}/restore': { POST: 'restoreApplication' },
    }),
  ],
  console: {
    '/console/applications': from(() => import('./console.ts'), 'applications'),
    '/console/applications/new': from(() => import('./new.console.ts'), 'newApplication'),
    '/console/applications/{code}': from(() => import('./application.console.ts'), 'application'),
  },
  jobs: [
    {
      name: 'registry.refresh',
      everyMs: 500,
      runs: 'in every process',
      load: from(() => import('./job.ts'), 'refreshRegistry'),
    },
  ],
  tables: applicationTables,
  fields: from(() => import('./fields.ts'), 'applicationsFields'),
});

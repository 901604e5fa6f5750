import { capability, from, placeOf } from '../../capability.ts';
import { operationsOf } from '../../operators/api/operation-table.ts';
import { applicationTables } from './tables.ts';

/** Applications: each is an issuer with its own clients, keys and tokens. */
export const applications = capability('directory/applications', {
  nouns: { applications: { order: 10, summary: 'list, create, change, delete and restore applications' } },
  operations: [
    operationsOf(() => import('./operations.ts'), {
      '/applications': { GET: 'listApplications', POST: 'createApplication' },
      '/applications/{code}': { GET: 'getApplication', PATCH: 'updateApplication', DELETE: 'deleteApplication' },
      '/applications/{code}/restore': { POST: 'restoreApplication' },
    }).onCommandLine('applications', {
      list: { operation: 'listApplications' },
      get: { operation: 'getApplication', arguments: ['code'], example: 'shop --json' },
      create: { operation: 'createApplication', arguments: ['code'], example: 'shop --name Shop' },
      update: { operation: 'updateApplication', arguments: ['code'], example: 'shop --access-token-ttl 900' },
      delete: { operation: 'deleteApplication', arguments: ['code'], example: 'shop' },
      restore: { operation: 'restoreApplication', arguments: ['code'], example: 'shop' },
    }),
  ],
  console: {
    '/console/applications': from(() => import('./console.ts'), 'applications'),
    '/console/applications/new': from(() => import('./new.console.ts'), 'newApplication'),
    '/console/applications/{code}': from(() => import('./application.console.ts'), 'application'),
    '/console/applications/{code}/sign-in': from(() => import('./settings.console.ts'), 'signInSettings'),
    '/console/applications/{code}/look': from(() => import('./settings.console.ts'), 'lookSettings'),
    '/console/applications/{code}/advanced': from(() => import('./settings.console.ts'), 'advancedSettings'),
  },
  searches: { applications: from(() => import('./search.console.ts'), 'applicationSearch') },
  places: {
    applications: placeOf(
      '/console/applications',
      20,
      'listApplications',
      () => import('./console.text.ts'),
      'applicationsPlace',
      { group: 'directory', icon: 'applications' },
    ),
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

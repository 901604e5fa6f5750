import { capability, from, placeOf } from '../../capability.ts';
import { operationsOf } from '../../operators/api/operation-table.ts';
import { jobOf } from '../../platform/jobs/job.ts';
import { providerTables } from './tables.ts';

/**
 * Identity providers that are registered with the deployment, and which of them an application offers. What is done with one at a sign-in
 * is in src/people/federation.
 */
export const providers = capability('directory/providers', {
  nouns: { providers: { order: 35, summary: 'list and change identity providers' } },
  operations: [
    operationsOf(() => import('./operations.ts'), {
      '/providers': { GET: 'listProviders', POST: 'createProvider' },
      '/providers/{id}': { GET: 'getProvider', PATCH: 'updateProvider', DELETE: 'deleteProvider' },
    }).onCommandLine('providers', {
      list: { operation: 'listProviders', withoutSecret: true },
      get: { operation: 'getProvider', arguments: ['id'], example: 'corp --json' },
      create: {
        operation: 'createProvider',
        arguments: ['id'],
        example: 'corp --type oidc --issuer https://login.corp.example --client-id gatehouse --client-secret-stdin',
      },
      update: { operation: 'updateProvider', arguments: ['id'], example: 'corp --trusts-email true' },
      delete: { operation: 'deleteProvider', arguments: ['id'], example: 'corp', withoutSecret: true },
    }),
    operationsOf(() => import('./state.operations.ts'), {
      '/provider_states': { GET: 'listProviderStates' },
      '/provider_states/{id}': { GET: 'getProviderState' },
    }).onCommandLine('providers', {
      states: { operation: 'listProviderStates' },
      state: { operation: 'getProviderState', arguments: ['id'], example: 'corp' },
    }),
  ],
  console: {
    '/console/providers': from(() => import('./console.ts'), 'providersPage'),
    '/console/providers/new': from(() => import('./new.console.ts'), 'newProvider'),
    '/console/providers/{id}': from(() => import('./provider.console.ts'), 'providerPage'),
  },
  places: {
    providers: placeOf('/console/providers', 34, 'listProviders', () => import('./console.text.ts'), 'providersPlace', {
      group: 'directory',
      icon: 'providers',
    }),
  },
  searches: { providers: from(() => import('./search.console.ts'), 'providerSearch') },
  controls: { providers: from(() => import('./offered.console.ts'), 'offeredControl') },
  jobs: [
    jobOf(
      { name: 'providers.reseal', everyMs: 3_600_000, runs: 'once on a machine' },
      () => import('./reseal.job.ts'),
      'resealProviders',
    ),
  ],
  fields: from(() => import('./fields.ts'), 'providersFields'),
  tables: providerTables,
});

import { capability, from } from '../../capability.ts';
import { operationsOf } from '../../operators/api/operation-table.ts';
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
        example: 'corp --type oidc --issuer https://login.corp.example --client-id gatehouse --client-secret SECRET',
      },
      update: { operation: 'updateProvider', arguments: ['id'], example: 'corp --trusts-email true' },
      delete: { operation: 'deleteProvider', arguments: ['id'], example: 'corp', withoutSecret: true },
    }),
  ],
  fields: from(() => import('./fields.ts'), 'providersFields'),
  tables: providerTables,
});

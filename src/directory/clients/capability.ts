import { capability, from } from '../../capability.ts';
import { operationsOf } from '../../operators/api/operation-table.ts';
import { clientTables } from './tables.ts';

const OF_APPLICATION = { app: 'code' };
const OF_CLIENT = { app: 'code', client: 'client_id' };

/** Clients of an application: their settings, secrets and keys, and the trial of a login in the console. */
export const clients = capability('directory/clients', {
  nouns: { clients: { order: 20, summary: 'list, register, change and delete clients, and their secrets' } },
  operations: [
    operationsOf(() => import('./operations.ts'), {
      '/applications/{code}/clients': { GET: 'listClients', POST: 'createClient' },
      '/applications/{code}/clients/{client_id}': { GET: 'getClient', PATCH: 'updateClient', DELETE: 'deleteClient' },
    }).onCommandLine('clients', {
      list: { operation: 'listClients', options: OF_APPLICATION, example: '--app shop', withoutSecret: true },
      get: { operation: 'getClient', options: OF_CLIENT, example: '--app shop --client shop-web' },
      create: {
        operation: 'createClient',
        options: OF_APPLICATION,
        example: '--app shop --preset web --client-id shop-web --redirect-uris https://shop.example/callback',
      },
      update: {
        operation: 'updateClient',
        options: OF_CLIENT,
        example: '--app shop --client shop-web --require-consent true',
      },
      delete: {
        operation: 'deleteClient',
        options: OF_CLIENT,
        example: '--app shop --client shop-web',
        withoutSecret: true,
      },
    }),
    operationsOf(() => import('./secrets.operations.ts'), {
      '/applications/{code}/clients/{client_id}/secrets': { GET: 'listClientSecrets', POST: 'createClientSecret' },
      '/applications/{code}/clients/{client_id}/secrets/{id}': { DELETE: 'deleteClientSecret' },
    }).onCommandLine('clients', {
      secrets: { operation: 'listClientSecrets', options: OF_CLIENT, example: '--app shop --client shop-web' },
      'new-secret': {
        operation: 'createClientSecret',
        options: OF_CLIENT,
        example: '--app shop --client shop-web --previous-valid-for 3600',
      },
      'delete-secret': {
        operation: 'deleteClientSecret',
        options: OF_CLIENT,
        arguments: ['id'],
        example: '--app shop --client shop-web sec_0123456789abcdef0123',
      },
    }),
  ],
  searches: { clients: from(() => import('./search.console.ts'), 'clientSearch') },
  console: {
    '/console/applications/{code}/clients/new': from(() => import('./new.console.ts'), 'newClient'),
    '/console/applications/{code}/clients/{client_id}': from(() => import('./connect.console.ts'), 'clientConnect'),
    '/console/applications/{code}/clients/{client_id}/review': from(
      () => import('./review.console.ts'),
      'clientReview',
    ),
    '/console/applications/{code}/clients/{client_id}/secrets': from(
      () => import('./secrets.console.ts'),
      'clientSecrets',
    ),
    '/console/applications/{code}/clients/{client_id}/settings': from(
      () => import('./settings.console.ts'),
      'clientSettings',
    ),
    '/console/applications/{code}/clients/{client_id}/permissions': from(
      () => import('./settings.console.ts'),
      'clientPermissions',
    ),
    '/console/applications/{code}/clients/{client_id}/authentication': from(
      () => import('./settings.console.ts'),
      'clientAuthentication',
    ),
    '/console/applications/{code}/clients/{client_id}/tokens': from(
      () => import('./settings.console.ts'),
      'clientTokens',
    ),
    '/console/applications/{code}/clients/{client_id}/try': from(() => import('./try.console.ts'), 'clientTry'),
    '/console/try/callback': from(() => import('./try-callback.console.ts'), 'tryCallback'),
  },
  tables: clientTables,
  fields: from(() => import('./fields.ts'), 'clientsFields'),
});

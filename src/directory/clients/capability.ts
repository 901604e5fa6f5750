import { capability, from } from '../../capability.ts';
import { operationsOf } from '../../operators/api/operation-table.ts';
import { clientTables } from './tables.ts';

/** Clients of an application: their settings, secrets and keys, and the trial of a login in the console. */
export const clients = capability('directory/clients', {
  operations: [
    operationsOf(() => import('./operations.ts'), {
      '/applications/{code}/clients': { GET: 'listClients', POST: 'createClient' },
      '/applications/{code}/clients/{client_id}': { GET: 'getClient', PATCH: 'updateClient', DELETE: 'deleteClient' },
    }),
    operationsOf(() => import('./secrets.operations.ts'), {
      '/applications/{code}/clients/{client_id}/secrets': { GET: 'listClientSecrets', POST: 'createClientSecret' },
      '/applications/{code}/clients/{client_id}/secrets/{id}': { DELETE: 'deleteClientSecret' },
    }),
  ],
  console: {
    '/console/applications/{code}/clients/new': from(() => import('./new.console.ts'), 'newClient'),
    '/console/applications/{code}/clients/{client_id}': from(() => import('./connect.console.ts'), 'clientConnect'),
    '/console/applications/{code}/clients/{client_id}/secrets': from(
      () => import('./secrets.console.ts'),
      'clientSecrets',
    ),
    '/console/applications/{code}/clients/{client_id}/settings': from(
      () => import('./settings.console.ts'),
      'clientSettings',
    ),
    '/console/applications/{code}/clients/{client_id}/try': from(() => import('./try.console.ts'), 'clientTry'),
    '/console/try/callback': from(() => import('./try-callback.console.ts'), 'tryCallback'),
  },
  tables: clientTables,
  fields: from(() => import('./fields.ts'), 'clientsFields'),
});

import { capability } from '../../capability.ts';
import { operationsOf } from '../api/operation-table.ts';

const OF_APPLICATION = { app: 'code' };
const OF_CLIENT = { app: 'code', client: 'client_id' };

/** The command line. The verbs of applications, clients and initial access tokens are here until their folders declare them. */
export const commandLine = capability('operators/cli', {
  nouns: {
    applications: { order: 10, summary: 'list, create, change, delete and restore applications' },
    clients: { order: 20, summary: 'list, register, change and delete clients, and their secrets' },
  },
  operations: [
    operationsOf(() => import('../../directory/applications/operations.ts'), {}).onCommandLine('applications', {
      list: { operation: 'listApplications' },
      get: { operation: 'getApplication', arguments: ['code'], example: 'shop --json' },
      create: { operation: 'createApplication', arguments: ['code'], example: 'shop --name Shop' },
      update: { operation: 'updateApplication', arguments: ['code'], example: 'shop --access-token-ttl 900' },
      delete: { operation: 'deleteApplication', arguments: ['code'], example: 'shop' },
      restore: { operation: 'restoreApplication', arguments: ['code'], example: 'shop' },
    }),
    operationsOf(() => import('../../directory/clients/operations.ts'), {}).onCommandLine('clients', {
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
    operationsOf(() => import('../../directory/clients/secrets.operations.ts'), {}).onCommandLine('clients', {
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
    operationsOf(() => import('../../oauth/registration/operations.ts'), {}).onCommandLine('clients', {
      'initial-tokens': { operation: 'listInitialAccessTokens', options: OF_APPLICATION, example: '--app shop' },
      'new-initial-token': {
        operation: 'createInitialAccessToken',
        options: OF_APPLICATION,
        example: '--app shop --name partner --json',
      },
      'delete-initial-token': {
        operation: 'deleteInitialAccessToken',
        options: OF_APPLICATION,
        arguments: ['id'],
        example: '--app shop iat_0123456789abcdef01234567',
      },
    }),
  ],
});

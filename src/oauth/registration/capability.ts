import { capability, from } from '../../capability.ts';
import { operationsOf } from '../../operators/api/operation-table.ts';
import { endpoint, ISSUER, late, noBody, PUBLISHED } from '../../platform/http/route.ts';
import { jobOf } from '../../platform/jobs/job.ts';
import { storePart } from '../../platform/store/late-part.ts';
import type { ClientRegistrations } from './store.ts';
import { registrationTables } from './tables.ts';

const OF_APPLICATION = { app: 'code' };
const configuration = () => import('./configuration.endpoint.ts');

/**
 * Dynamic client registration (RFC 7591) at {issuer}/register, and its management (RFC 7592) at {issuer}/register/{client_id}; initial access
 * tokens and software statements.
 */
export const registration = capability('oauth/registration', {
  routes: [
    endpoint('register', PUBLISHED, {
      POST: {
        body: 'json',
        handle: late(() => import('./endpoint.ts'), 'register'),
      },
    }),
    endpoint(
      'register',
      PUBLISHED,
      {
        GET: noBody(late(configuration, 'readClient')),
        PUT: { body: 'json', handle: late(configuration, 'replaceClient') },
        DELETE: noBody(late(configuration, 'removeClient')),
      },
      `${ISSUER}/register/{client_id}`,
    ),
  ],
  operations: [
    operationsOf(() => import('./operations.ts'), {
      '/applications/{code}/initial_access_tokens': {
        GET: 'listInitialAccessTokens',
        POST: 'createInitialAccessToken',
      },
      '/applications/{code}/initial_access_tokens/{id}': { DELETE: 'deleteInitialAccessToken' },
    }).onCommandLine('clients', {
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
  console: {
    '/console/applications/{code}/initial-access-tokens': from(() => import('./console.ts'), 'initialAccessTokens'),
  },
  jobs: [
    jobOf(
      { name: 'clients', everyMs: 3_600_000, runs: 'once on a machine' },
      () => import('./job.ts'),
      'deleteUnusedClients',
    ),
  ],
  tables: registrationTables,
  store: [
    storePart<Omit<ClientRegistrations, 'removeUnusedClients'>>(
      {
        noteClientUse: true,
        registerClient: true,
        findRegistration: true,
        listInitialAccessTokens: true,
        findInitialAccessToken: true,
        changeInitialAccessToken: true,
      },
      async () => (await import('./queries.ts')).coldClientRegistrations,
    ),
  ],
  fields: from(() => import('./fields.ts'), 'registrationFields'),
  controls: {
    client_id_metadata: from(() => import('./form.console.ts'), 'clientIdMetadataControl'),
    software_statements: from(() => import('./software-statements-form.console.ts'), 'softwareStatementsControl'),
  },
});

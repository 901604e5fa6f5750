import type { IdempotentAnswers } from '../../audit/acts/store.ts';
import { capability, from } from '../../capability.ts';
import { forPrograms, latePage, noBody, page } from '../../platform/http/route.ts';
import { storePart } from '../../platform/store/late-part.ts';
import { operationsOf } from './operation-table.ts';
import { problem } from './routes.ts';
import { adminApiTables } from './tables.ts';

/**
 * The admin API at /api/v1/admin: the way from a request to an operation and back, and its documents. The operations are in the folders
 * of their capabilities (`operations`).
 */
export const adminApi = capability('operators/api', {
  routes: [
    page('/docs/api', {
      GET: noBody(latePage(() => import('./documents.ts'), 'apiReference')),
    }),
    problem('/openapi.json', {
      GET: noBody(latePage(() => import('./documents.ts'), 'openApi')),
    }),
    problem('/*', {}),
    // Programs in a browser read it from any origin, as all documents of this kind.
    {
      ...forPrograms('/.well-known/oauth-protected-resource/api/v1/admin', {
        GET: noBody(latePage(() => import('./protected-resource.ts'), 'adminMetadata')),
      }),
      cors: 'everyOrigin',
    },
  ],
  operations: [operationsOf(() => import('./operations.ts'), { '/caller': { GET: 'getCaller' } })],
  console: {
    '/console/api/{operation}': from(() => import('./try.console.ts'), 'tryOperation'),
  },
  tables: adminApiTables,
  store: [
    storePart<IdempotentAnswers>(
      { findAnswer: true, keepAnswer: true },
      async () => (await import('../../audit/acts/queries.ts')).coldIdempotentAnswers,
    ),
  ],
});

import { capability, from } from '../../capability.ts';
import { operationsOf } from '../../operators/api/operation-table.ts';
import { endpoint, hot, noBody, PUBLISHED } from '../../platform/http/route.ts';
import { jobOf } from '../../platform/jobs/job.ts';
import { signingKeyTables } from './tables.ts';

/** The signing keys of an application: {issuer}/jwks (RFC 7517), rotation, and what operators do with them. */
export const signingKeys = capability('oauth/signing-keys', {
  routes: [
    endpoint('jwks', PUBLISHED, {
      GET: noBody(hot(() => import('./endpoint.ts'), 'jwks')),
    }),
  ],
  discovery: { jwks_uri: '/jwks' },
  operations: [
    operationsOf(() => import('./operations.ts'), {
      '/applications/{code}/keys': { GET: 'listKeys' },
      '/applications/{code}/keys/rotate': { POST: 'rotateKeys' },
      '/applications/{code}/keys/{kid}': { DELETE: 'deleteKey' },
    }),
  ],
  console: {
    '/console/applications/{code}/keys': from(() => import('./console.ts'), 'keys'),
  },
  jobs: [
    {
      name: 'keys.spare',
      everyMs: undefined,
      runs: 'in every process',
      load: from(() => import('./job.ts'), 'makeSpareKeys'),
    },
    jobOf({ name: 'keys', everyMs: 3_600_000, runs: 'once on a machine' }, () => import('./job.ts'), 'rotateAllKeys'),
    jobOf(
      { name: 'keys.pending', everyMs: 1000, runs: 'once on a machine' },
      () => import('./rotation.ts'),
      'makePendingKeys',
    ),
  ],
  tables: signingKeyTables,
  fields: from(() => import('./fields.ts'), 'signingKeyFields'),
});

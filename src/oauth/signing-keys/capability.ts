import { capability, from } from '../../capability.ts';
import { operationsOf } from '../../operators/api/operation-table.ts';
import { endpoint, hot, noBody, PUBLISHED } from '../../platform/http/route.ts';

/** The signing keys of an application: {issuer}/jwks (RFC 7517), rotation, and what operators do with them. */
export const signingKeys = capability('oauth/signing-keys', {
  routes: [
    endpoint('jwks', PUBLISHED, {
      GET: noBody(hot(() => import('./endpoint.ts'), 'jwks')),
    }),
  ],
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
});

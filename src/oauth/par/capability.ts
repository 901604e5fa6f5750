import { capability, from } from '../../capability.ts';
import { endpoint, FOR_CLIENTS, form, hot } from '../../platform/http/route.ts';
import { parTables } from './tables.ts';

/** Pushed authorization requests (RFC 9126): {issuer}/par. */
export const par = capability('oauth/par', {
  routes: [
    endpoint('par', FOR_CLIENTS, {
      POST: form(hot(() => import('./endpoint.ts'), 'par')),
    }),
  ],
  discovery: { pushed_authorization_request_endpoint: '/par' },
  tables: parTables,
  fields: from(() => import('./fields.ts'), 'parFields'),
});

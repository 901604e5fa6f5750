import { capability, from } from '../../capability.ts';
import { endpoint, FOR_CLIENTS, form, hot } from '../../platform/http/route.ts';
import { tokenTables } from './tables.ts';

/**
 * The token endpoint (RFC 6749 section 3.2): {issuer}/token. endpoint.ts has the phases that all grants share, issue.ts plans and signs tokens;
 * each grant is a folder of its own (`grants`).
 */
export const token = capability('oauth/token', {
  routes: [
    endpoint('token', FOR_CLIENTS, {
      POST: form(hot(() => import('./endpoint.ts'), 'token')),
    }),
  ],
  discovery: { token_endpoint: '/token' },
  tables: tokenTables,
  fields: from(() => import('./fields.ts'), 'tokenFields'),
});

import { capability, from } from '../../capability.ts';
import { endpoint, FOR_SERVERS, form, hot } from '../../platform/http/route.ts';

/** Token introspection (RFC 7662): {issuer}/introspect. */
export const introspect = capability('oauth/introspect', {
  routes: [
    endpoint('introspect', FOR_SERVERS, {
      POST: form(hot(() => import('./endpoint.ts'), 'introspect')),
    }),
  ],
  discovery: { introspection_endpoint: '/introspect' },
  fields: from(() => import('./fields.ts'), 'introspectFields'),
});

import { capability, from } from '../../capability.ts';
import { endpoint, FOR_BROWSERS, form, hot, noBody } from '../../platform/http/route.ts';

const auth = hot(() => import('./endpoint.ts'), 'auth');

/**
 * The authorization endpoint (RFC 6749 section 3.1, OpenID Connect Core section 3): {issuer}/auth. It checks the request, lets people/sign-in find
 * out who the user is, and answers the client through the browser.
 */
export const authorize = capability('oauth/authorize', {
  routes: [endpoint('auth', FOR_BROWSERS, { GET: noBody(auth), HEAD: noBody(auth), POST: form(auth) })],
  discovery: { authorization_endpoint: '/auth' },
  fields: from(() => import('./fields.ts'), 'authorizeFields'),
});

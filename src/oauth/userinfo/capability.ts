import { capability, from } from '../../capability.ts';
import { endpoint, FOR_CLIENTS, form, hot, noBody } from '../../platform/http/route.ts';

const claims = hot(() => import('./endpoint.ts'), 'userinfo');

/** The claims of the user behind an access token (OpenID Connect Core section 5.3): {issuer}/userinfo. */
export const userinfo = capability('oauth/userinfo', {
  routes: [endpoint('userinfo', FOR_CLIENTS, { GET: noBody(claims), POST: form(claims) })],
  discovery: { userinfo_endpoint: '/userinfo' },
  fields: from(() => import('./fields.ts'), 'userinfoFields'),
});

import { capability, from } from '../../capability.ts';
import { endpoint, FOR_BROWSERS, form, hot, noBody, pageOf } from '../../platform/http/route.ts';

const logoutEndpoint = hot(() => import('./endpoint.ts'), 'logout');

/** RP-initiated logout (OpenID Connect RP-Initiated Logout): {issuer}/logout, and the page /logout that asks first. */
export const logout = capability('oauth/logout', {
  routes: [
    endpoint('logout', FOR_BROWSERS, {
      GET: noBody(logoutEndpoint),
      HEAD: noBody(logoutEndpoint),
      POST: form(logoutEndpoint),
    }),
    pageOf('/logout', () => import('./page.ts'), 'showLogout', 'submitLogout'),
  ],
  discovery: { end_session_endpoint: '/logout' },
  fields: from(() => import('./fields.ts'), 'logoutFields'),
});

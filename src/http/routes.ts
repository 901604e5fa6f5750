import { showAccess, submitAccess } from '../account/access.ts';
import { submitAccount } from '../account/account.ts';
import { showActivity } from '../account/activity.ts';
import { showChangePassword, submitChangePassword } from '../account/change-password.ts';
import { showData, submitData } from '../account/data.ts';
import { showDeleteAccount, submitDeleteAccount } from '../account/delete-account.ts';
import { showEmail, submitEmail } from '../account/email.ts';
import { showEnrolTotp, submitEnrolTotp } from '../account/enrol-totp.ts';
import { showForgotPassword, submitForgotPassword } from '../account/forgot-password.ts';
import { showLogout, submitLogout } from '../account/logout.ts';
import { showPasskeys, submitPasskeys } from '../account/passkeys.ts';
import { showEditProfile, showProfile, submitEditProfile } from '../account/profile.ts';
import { showResetPassword, submitResetPassword } from '../account/reset-password.ts';
import { showSecurity, submitSecurity } from '../account/security.ts';
import { showSessions, submitSessions } from '../account/sessions.ts';
import { showUndoEmail, submitUndoEmail } from '../account/undo-email.ts';
import { demoCallback } from '../demo/callback.ts';
import { showFirstOwner, submitFirstOwner } from '../front-door/first-owner.ts';
import { changePassword, frontDoor, icon, robots } from '../front-door/front-door.ts';
import { auth } from '../oauth2/auth.ts';
import { discovery } from '../oauth2/discovery.ts';
import { introspect } from '../oauth2/introspect.ts';
import { jwks } from '../oauth2/jwks.ts';
import { logo } from '../oauth2/logo.ts';
import { logout } from '../oauth2/logout.ts';
import { par } from '../oauth2/par.ts';
import { revoke } from '../oauth2/revoke.ts';
import { token } from '../oauth2/token.ts';
import { userinfo } from '../oauth2/userinfo.ts';
import { showConfirmEmail, submitConfirmEmail } from '../sign-in/confirm-email.ts';
import { showSignUp, submitSignUp } from '../sign-in/sign-up.ts';
import { showStep, submitStep } from '../sign-in/steps.ts';
import { adminApiRoutes } from './admin-routes.ts';
import { consolePageRoutes } from './console-routes.ts';
import { asset, errorIndex, errorReference } from './documents.ts';
import { healthz, metrics, readyz } from './health.ts';
import { type EndpointRoute, form, noBody, type PageRoute, type Route } from './route.ts';

/** {base_url}/api/v1/authorize/{app_code}/oauth2 is the issuer of an application; its endpoints are below it. */
const ISSUER = '/api/v1/authorize/{app}/oauth2';

type EndpointRules = Pick<EndpointRoute, 'errors' | 'cors'>;

const FOR_BROWSERS: EndpointRules = { errors: 'page', cors: 'none' };
const FOR_SERVERS: EndpointRules = { errors: 'json', cors: 'none' };
const FOR_CLIENTS: EndpointRules = { errors: 'json', cors: 'clients' };
const PUBLISHED: EndpointRules = { errors: 'json', cors: 'everyOrigin' };

const endpoint = (name: string, rules: EndpointRules, methods: EndpointRoute['methods']): Route => ({
  kind: 'endpoint',
  pattern: `${ISSUER}/${name}`,
  name,
  ...rules,
  methods,
});

const DISCOVERY = '.well-known/openid-configuration';
const discoveryRoute = endpoint(DISCOVERY, PUBLISHED, { GET: noBody(discovery) });

const page = (pattern: string, methods: PageRoute['methods'], name = pattern): Route => ({
  kind: 'page',
  pattern,
  name,
  errors: 'page',
  cors: 'none',
  methods,
});

const forPrograms = (pattern: string, methods: PageRoute['methods']): Route => ({
  ...page(pattern, methods),
  errors: 'json',
});

/** Every address of the server. */
export const routes: readonly Route[] = [
  endpoint('auth', FOR_BROWSERS, { GET: noBody(auth), HEAD: noBody(auth), POST: form(auth) }),
  endpoint('logout', FOR_BROWSERS, { GET: noBody(logout), HEAD: noBody(logout), POST: form(logout) }),
  endpoint('par', FOR_CLIENTS, { POST: form(par) }),
  endpoint('token', FOR_CLIENTS, { POST: form(token) }),
  endpoint('introspect', FOR_SERVERS, { POST: form(introspect) }),
  endpoint('userinfo', FOR_CLIENTS, { GET: noBody(userinfo), POST: form(userinfo) }),
  endpoint('revoke', FOR_CLIENTS, { POST: form(revoke) }),
  endpoint('jwks', PUBLISHED, { GET: noBody(jwks) }),
  { ...endpoint('logo', FOR_BROWSERS, { GET: noBody(logo) }), pattern: `${ISSUER}/logo/{hash}` },
  discoveryRoute,
  // RFC 8414 section 3.1 puts the well-known part before the path of the issuer; the OpenID form answers there too.
  { ...discoveryRoute, pattern: `/.well-known/oauth-authorization-server${ISSUER}` },
  { ...discoveryRoute, pattern: `/.well-known/openid-configuration${ISSUER}` },

  page('/login', { GET: noBody(showStep('/login')), POST: form(submitStep('/login')) }),
  page('/login/passkey', { GET: noBody(showStep('/login/passkey')), POST: form(submitStep('/login/passkey')) }),
  page('/login/totp', { GET: noBody(showStep('/login/totp')), POST: form(submitStep('/login/totp')) }),
  page('/login/enrol', { GET: noBody(showStep('/login/enrol')), POST: form(submitStep('/login/enrol')) }),
  page('/login/recovery', { GET: noBody(showStep('/login/recovery')), POST: form(submitStep('/login/recovery')) }),
  page('/login/verify-email', {
    GET: noBody(showStep('/login/verify-email')),
    POST: form(submitStep('/login/verify-email')),
  }),
  page('/login/new-password', {
    GET: noBody(showStep('/login/new-password')),
    POST: form(submitStep('/login/new-password')),
  }),
  page('/signup', { GET: noBody(showSignUp), POST: form(submitSignUp) }),
  page('/confirm-email', { GET: noBody(showConfirmEmail), POST: form(submitConfirmEmail) }),
  page('/undo-email', { GET: noBody(showUndoEmail), POST: form(submitUndoEmail) }),
  page('/login/keep-account', {
    GET: noBody(showStep('/login/keep-account')),
    POST: form(submitStep('/login/keep-account')),
  }),
  page('/consent', { GET: noBody(showStep('/consent')), POST: form(submitStep('/consent')) }),
  page('/logout', { GET: noBody(showLogout), POST: form(submitLogout) }),
  page('/forgot-password', { GET: noBody(showForgotPassword), POST: form(submitForgotPassword) }),
  page('/reset-password', { GET: noBody(showResetPassword), POST: form(submitResetPassword) }),
  page('/account/email', { GET: noBody(showEmail), POST: form(submitEmail) }),
  page('/account', { GET: noBody(showProfile), POST: form(submitAccount) }),
  page('/account/profile', { GET: noBody(showEditProfile), POST: form(submitEditProfile) }),
  page('/account/sessions', { GET: noBody(showSessions), POST: form(submitSessions) }),
  page('/account/access', { GET: noBody(showAccess), POST: form(submitAccess) }),
  page('/account/activity', { GET: noBody(showActivity) }),
  page('/account/data', { GET: noBody(showData), POST: form(submitData) }),
  page('/account/data/delete', { GET: noBody(showDeleteAccount), POST: form(submitDeleteAccount) }),
  page('/account/security', { GET: noBody(showSecurity), POST: form(submitSecurity) }),
  page('/account/security/password', { GET: noBody(showChangePassword), POST: form(submitChangePassword) }),
  page('/account/security/passkeys', { GET: noBody(showPasskeys), POST: form(submitPasskeys) }),
  page('/account/security/totp', { GET: noBody(showEnrolTotp), POST: form(submitEnrolTotp) }),
  page('/demo/callback', { GET: noBody(demoCallback) }),
  page('/assets/{file}', { GET: noBody(asset) }, '/assets/'),
  page('/docs/errors', { GET: noBody(errorIndex) }),
  page('/docs/errors/', { GET: noBody(errorIndex) }, '/docs/errors'),
  page('/docs/errors/{error}', { GET: noBody(errorReference) }, '/docs/errors'),

  page('/docs/api', { GET: noBody(async services => (await import('../admin/api.ts')).apiReference(services)) }),
  ...adminApiRoutes,
  ...consolePageRoutes,

  page('/first-owner', { GET: noBody(showFirstOwner), POST: form(submitFirstOwner) }),
  page('/', { GET: noBody(frontDoor) }),
  page('/.well-known/change-password', { GET: noBody(changePassword) }),
  page('/robots.txt', { GET: noBody(robots) }),
  page('/favicon.ico', { GET: noBody(icon) }),

  forPrograms('/healthz', { GET: noBody(healthz) }),
  forPrograms('/readyz', { GET: noBody(readyz) }),
  forPrograms('/metrics', { GET: noBody(metrics) }),
];

import { demoCallback } from '../demo/callback.ts';
import { apiReference } from '../front-door/api-docs.ts';
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
import type { Endpoint } from '../services.ts';
import { adminApiRoutes } from './admin-routes.ts';
import { consolePageRoutes } from './console-routes.ts';
import { asset, errorIndex, errorReference } from './documents.ts';
import { healthz, metrics, readyz } from './health.ts';
import { peopleRoutes } from './people-routes.ts';
import { type EndpointRoute, form, noBody, type PageRoute, page, type Route } from './route.ts';

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

/** Its module is loaded with the first request: few deployments have clients that need it. */
function loadedLate<Module>(load: () => Promise<Module>, handler: (module: Module) => Endpoint): Endpoint {
  return async (services, request, application) => handler(await load())(services, request, application);
}
const register = loadedLate(
  () => import('../oauth2/register.ts'),
  module => module.register,
);
const registration = () => import('../oauth2/registration.ts');
const registerRoute = endpoint('register', PUBLISHED, { POST: { body: 'json', handle: register } });
const registrationRoute: Route = {
  ...endpoint('register', PUBLISHED, {
    GET: noBody(loadedLate(registration, module => module.readClient)),
    PUT: { body: 'json', handle: loadedLate(registration, module => module.replaceClient) },
    DELETE: noBody(loadedLate(registration, module => module.removeClient)),
  }),
  pattern: `${ISSUER}/register/{client_id}`,
};

const DISCOVERY = '.well-known/openid-configuration';
const discoveryRoute = endpoint(DISCOVERY, PUBLISHED, { GET: noBody(discovery) });

const forPrograms = (pattern: string, methods: PageRoute['methods']): Route => ({
  ...page(pattern, methods),
  errors: 'json',
});

/** Every address of the server. */
export const routes: readonly Route[] = [
  endpoint('auth', FOR_BROWSERS, { GET: noBody(auth), HEAD: noBody(auth), POST: form(auth) }),
  endpoint('logout', FOR_BROWSERS, { GET: noBody(logout), HEAD: noBody(logout), POST: form(logout) }),
  endpoint('par', FOR_CLIENTS, { POST: form(par) }),
  endpoint('device_authorization', FOR_CLIENTS, {
    POST: form(
      loadedLate(
        () => import('../oauth2/device-authorization.ts'),
        ({ deviceAuthorization }) => deviceAuthorization,
      ),
    ),
  }),
  endpoint('token', FOR_CLIENTS, { POST: form(token) }),
  endpoint('introspect', FOR_SERVERS, { POST: form(introspect) }),
  endpoint('userinfo', FOR_CLIENTS, { GET: noBody(userinfo), POST: form(userinfo) }),
  endpoint('revoke', FOR_CLIENTS, { POST: form(revoke) }),
  registerRoute,
  registrationRoute,
  endpoint('jwks', PUBLISHED, { GET: noBody(jwks) }),
  { ...endpoint('logo', FOR_BROWSERS, { GET: noBody(logo) }), pattern: `${ISSUER}/logo/{hash}` },
  discoveryRoute,
  // RFC 8414 section 3.1 puts the well-known part before the path of the issuer; the OpenID form answers there too.
  { ...discoveryRoute, pattern: `/.well-known/oauth-authorization-server${ISSUER}` },
  { ...discoveryRoute, pattern: `/.well-known/openid-configuration${ISSUER}` },

  ...peopleRoutes,
  page('/demo/callback', { GET: noBody(demoCallback) }),
  page('/assets/{file}', { GET: noBody(asset) }, '/assets/'),
  page('/docs/errors', { GET: noBody(errorIndex) }),
  page('/docs/errors/', { GET: noBody(errorIndex) }, '/docs/errors'),
  page('/docs/errors/{error}', { GET: noBody(errorReference) }, '/docs/errors'),

  page('/docs/api', { GET: noBody(apiReference) }),
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

import { logo } from '../directory/branding/endpoint.ts';
import { auth } from '../oauth/authorize/endpoint.ts';
import { discovery } from '../oauth/discovery/endpoint.ts';
import { introspect } from '../oauth/introspect/endpoint.ts';
import { logout } from '../oauth/logout/endpoint.ts';
import { par } from '../oauth/par/endpoint.ts';
import { revoke } from '../oauth/revoke/endpoint.ts';
import { jwks } from '../oauth/signing-keys/endpoint.ts';
import { token } from '../oauth/token/endpoint.ts';
import { userinfo } from '../oauth/userinfo/endpoint.ts';
import { apiReference } from '../operators/api/documents.ts';
import { adminApiRoutes } from '../operators/api/routes.ts';
import { consolePageRoutes } from '../operators/console/routes.ts';
import { demoCallback } from '../operators/demo/callback.page.ts';
import { showFirstOwner, submitFirstOwner } from '../operators/first-owner/page.ts';
import { changePassword, frontDoor, icon, robots } from '../operators/front-door/page.ts';
import { healthz, metrics, readyz } from '../platform/http/health.ts';
import { type EndpointRoute, form, noBody, type PageRoute, page, type Route } from '../platform/http/route.ts';
import type { Endpoint } from '../services.ts';
import { asset, errorIndex, errorReference } from './document-routes.ts';
import { peopleRoutes } from './people-routes.ts';

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
  () => import('../oauth/registration/endpoint.ts'),
  module => module.register,
);
const registration = () => import('../oauth/registration/configuration.endpoint.ts');
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
        () => import('../oauth/device/endpoint.ts'),
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

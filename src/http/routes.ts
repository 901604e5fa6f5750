import { showAccount, submitAccount } from '../login/account.ts';
import { showConsent, submitConsent } from '../login/consent.ts';
import { showLogin, submitLogin } from '../login/login.ts';
import { showLogout, submitLogout } from '../login/logout.ts';
import { auth } from '../oauth2/auth.ts';
import { discovery } from '../oauth2/discovery.ts';
import { introspect } from '../oauth2/introspect.ts';
import { jwks } from '../oauth2/jwks.ts';
import { logout } from '../oauth2/logout.ts';
import { revoke } from '../oauth2/revoke.ts';
import { token } from '../oauth2/token.ts';
import { userinfo } from '../oauth2/userinfo.ts';
import type { Endpoint, Page } from '../services.ts';
import { asset, demoCallback, errorReference } from './documents.ts';
import type { ErrorForm } from './error-response.ts';
import { healthz, metrics, readyz } from './health.ts';

/** Who may read an answer from a page of another origin. */
export type Cors = 'none' | 'everybody' | 'clients';

interface RouteRules {
  readonly errors: ErrorForm;
  readonly cors: Cors;
}

export interface EndpointRoute extends RouteRules {
  readonly methods: Readonly<Record<string, Endpoint>>;
}

export interface PageRoute extends RouteRules {
  readonly methods: Readonly<Record<string, Page>>;
}

/** {base_url}/api/v1/authorize/{app_code}/oauth2/<name> */
export const ENDPOINT_PREFIX = '/api/v1/authorize/';

export const endpoints: ReadonlyMap<string, EndpointRoute> = new Map<string, EndpointRoute>([
  ['auth', { methods: { GET: auth, HEAD: auth, POST: auth }, errors: 'page', cors: 'none' }],
  ['logout', { methods: { GET: logout, HEAD: logout, POST: logout }, errors: 'page', cors: 'none' }],
  ['token', { methods: { POST: token }, errors: 'json', cors: 'clients' }],
  ['introspect', { methods: { POST: introspect }, errors: 'json', cors: 'none' }],
  ['userinfo', { methods: { GET: userinfo, POST: userinfo }, errors: 'json', cors: 'clients' }],
  ['revoke', { methods: { POST: revoke }, errors: 'json', cors: 'clients' }],
  ['jwks', { methods: { GET: jwks }, errors: 'json', cors: 'everybody' }],
  ['.well-known/openid-configuration', { methods: { GET: discovery }, errors: 'json', cors: 'everybody' }],
]);

/** RFC 8414 section 3.1 puts the well-known part before the path of the issuer; the OpenID form answers there too. */
export const wellKnownPrefixes = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'];

const forPrograms = (methods: PageRoute['methods']): PageRoute => ({ methods, errors: 'json', cors: 'none' });
const page = (methods: PageRoute['methods']): PageRoute => ({ methods, errors: 'page', cors: 'none' });

export const pages: ReadonlyMap<string, PageRoute> = new Map([
  ['/login', page({ GET: showLogin, POST: submitLogin })],
  ['/consent', page({ GET: showConsent, POST: submitConsent })],
  ['/logout', page({ GET: showLogout, POST: submitLogout })],
  ['/account', page({ GET: showAccount, POST: submitAccount })],
  ['/demo/callback', page({ GET: demoCallback })],
  ['/healthz', forPrograms({ GET: healthz })],
  ['/readyz', forPrograms({ GET: readyz })],
  ['/metrics', forPrograms({ GET: metrics })],
]);

/** Addresses of which only the beginning is fixed. */
export const pagePrefixes: readonly (readonly [string, (path: string) => PageRoute])[] = [
  ['/assets/', path => page({ GET: asset(path) })],
  ['/docs/errors', path => page({ GET: errorReference(path) })],
];

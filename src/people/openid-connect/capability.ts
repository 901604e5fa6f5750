import { capability, from, type Load } from '../../capability.ts';
import { latePage, noBody, page } from '../../platform/http/route.ts';
import type { Connector } from '../federation/connector.ts';

/**
 * Identity providers that speak OpenID Connect (OIDC Core section 3.1, Discovery) or OAuth 2.0 alone, and the services that are known by
 * name (presets.rules.ts). src/people/federation has all that is the same for others.
 *
 *   /login/provider/{id}/jwks   the keys of this server there (private_key_jwt)
 */
const openid: Load<Connector> = from(() => import('./connector.ts'), 'openidConnect');
const oauth: Load<Connector> = from(() => import('./oauth.ts'), 'oauthProvider');

export const openidConnect = capability('people/openid-connect', {
  connectors: {
    oidc: openid,
    google: openid,
    microsoft: openid,
    apple: openid,
    gitlab: openid,
    gatehouse: openid,
    oauth,
    github: oauth,
  },
  fields: from(() => import('./fields.ts'), 'openidConnectFields'),
  routes: [page('/login/provider/{id}/jwks', { GET: noBody(latePage(() => import('./page.ts'), 'ownKeys')) })],
});

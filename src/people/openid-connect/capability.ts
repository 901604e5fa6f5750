import { capability, from } from '../../capability.ts';

/** Identity providers that speak OpenID Connect (OIDC Core section 3.1, Discovery). src/people/federation has all that is the same for others. */
export const openidConnect = capability('people/openid-connect', {
  connectors: { oidc: from(() => import('./connector.ts'), 'openidConnect') },
  fields: from(() => import('./fields.ts'), 'openidConnectFields'),
});

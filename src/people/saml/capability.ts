import { capability, from } from '../../capability.ts';
import { operationsOf } from '../../operators/api/operation-table.ts';
import { latePage, noBody, page } from '../../platform/http/route.ts';

/**
 * Identity providers that speak SAML 2.0: the service provider of the Web Browser SSO profile (SAML profiles section 4.1).
 *
 *   /login/provider/{id}/metadata   what this server tells the provider of itself
 *   /login/provider/{id}/callback   the assertion consumer service (people/federation)
 *
 * The files *.rules.ts judge what arrives; docs/decisions/saml.md says why there is no library in between.
 */
export const saml = capability('people/saml', {
  connectors: { saml: from(() => import('./connector.ts'), 'saml') },
  fields: from(() => import('./fields.ts'), 'samlFields'),
  routes: [page('/login/provider/{id}/metadata', { GET: noBody(latePage(() => import('./page.ts'), 'ownMetadata')) })],
  operations: [
    operationsOf(() => import('./operations.ts'), {
      '/providers/{id}/rotate-key': { POST: 'rotateProviderKey' },
    }).onCommandLine('providers', {
      'rotate-key': { operation: 'rotateProviderKey', arguments: ['id'], example: 'corp --step add' },
    }),
  ],
});

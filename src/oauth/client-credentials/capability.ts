import { capability, grant } from '../../capability.ts';

/** The client credentials grant (RFC 6749 section 4.4). */
export const clientCredentials = capability('oauth/client-credentials', {
  grants: { client_credentials: grant(() => import('./grant.ts'), 'clientCredentials', { isConfidential: true }) },
});

import { capability, from, grant } from '../../capability.ts';

/**
 * The authorization code and its exchange (RFC 6749 section 4.1.3), with PKCE (RFC 7636). A code that comes twice revokes what it was
 * redeemed for.
 */
export const authorizationCode = capability('oauth/authorization-code', {
  grants: [grant(() => import('./grant.ts'), 'authorizationCode')],
  fields: from(() => import('./fields.ts'), 'authorizationCodeFields'),
});

import { capability, from, grant } from '../../capability.ts';

/**
 * Refresh tokens (RFC 6749 section 6) with rotation, safe retries and the end of a token family whose token was reused (RFC 9700 section
 * 4.14.2): rules.ts decides.
 */
export const refresh = capability('oauth/refresh', {
  grants: [grant(() => import('./grant.ts'), 'refreshToken')],
  fields: from(() => import('./fields.ts'), 'refreshFields'),
});

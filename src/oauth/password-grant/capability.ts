import { capability, grant } from '../../capability.ts';

/** The password grant of the interface (RFC 6749 section 4.3). */
export const passwordGrant = capability('oauth/password-grant', {
  grants: { password: grant(() => import('./grant.ts'), 'password', { isConfidential: true }) },
});

import { capability, from } from '../../capability.ts';

/**
 * What a client shows to use an access token: the token alone (RFC 6750), or possession of a key (RFC 7800). Each kind of proof is a
 * folder of its own (`proofs`).
 */
export const bearer = capability('oauth/proof-of-possession', {
  proofs: [from(() => import('./bearer.ts'), 'none')],
});

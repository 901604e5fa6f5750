import { capability, from } from '../../capability.ts';

/** DPoP (RFC 9449): tokens that are bound to a key of the client, and nonces. */
export const dpop = capability('oauth/dpop', {
  proofs: [from(() => import('./proof.ts'), 'dpop')],
  fields: from(() => import('./fields.ts'), 'dpopFields'),
});

import { asymmetricAlgs } from '../../directory/clients/keys.rules.ts';
import { header } from '../../platform/http/message.ts';
import type { Proof } from '../proof-of-possession/proof.ts';

let verifier: Promise<typeof import('./verify.ts')> | undefined;

/** Kept: to import again what is loaded takes a sixth of the time of a proof. */
function loadVerifier() {
  verifier ??= import('./verify.ts');
  return verifier;
}

/** RFC 9449. What verifies a proof is loaded with the first one. */
export const dpop: Proof = {
  tokenType: 'DPoP',
  authorization: /^dpop +(\S+) *$/i,
  challenge: `algs="${asymmetricAlgs.join(' ')}"`,
  possession: {
    method: 'jkt',
    presented: (request, client) => header(request, 'dpop') ?? (client?.dpop_bound_access_tokens ? '' : undefined),
    verify: async (...proof) => (await loadVerifier()).verifyDpop(...proof),
  },
};

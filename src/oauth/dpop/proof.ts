import { asymmetricAlgs } from '../../directory/clients/keys.rules.ts';
import { header } from '../../platform/http/message.ts';
import { keptImport } from '../../platform/kept-import.ts';
import type { Proof } from '../proof-of-possession/proof.ts';

const loadVerifier = keptImport(() => import('./verify.ts'));

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

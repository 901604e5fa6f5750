import { keptImport } from '../../platform/kept-import.ts';
import { none } from '../proof-of-possession/bearer.ts';
import { CERTIFICATE_METHOD } from '../proof-of-possession/confirmation.rules.ts';
import type { Proof } from '../proof-of-possession/proof.ts';

const loadVerifier = keptImport(() => import('./verify.ts'));

/**
 * RFC 8705 section 3: tokens that are bound to the certificate of the client, for clients that are registered so. They are bearer tokens by
 * their name and their scheme. What verifies a certificate is loaded with the first one.
 */
export const mtls: Proof = {
  tokenType: none.tokenType,
  authorization: none.authorization,
  possession: {
    method: CERTIFICATE_METHOD,
    storesNothing: true,
    presented: (_request, client) => (client?.tls_client_certificate_bound_access_tokens ? '' : undefined),
    verify: async (services, request, _presented, accessToken) =>
      (await loadVerifier()).verifyCertificate(services, request, accessToken),
  },
};

import { issuerOf } from '../../directory/applications/rules.ts';
import { asymmetricAlgs } from '../../directory/clients/keys.rules.ts';
import type { SignedJwt } from '../../platform/crypto/signed-jwt.rules.ts';
import type { Verification } from '../client-authentication/method.ts';
import { verifyByIssuer } from '../trusted-issuers/keys.ts';
import { credentialsFor, type FaultyWorkload } from './rules.ts';

/**
 * The token that a platform has issued to a workload, as the assertion of a client (RFC 7523 section 2.2): what costs nothing comes first,
 * and keys are fetched for a registered issuer and subject alone. It may come more than once: the workload has the same one, in a file,
 * until its platform writes the next, so that its `jti` says nothing.
 */
export async function verifyWorkload(
  { services, app, client }: Verification,
  token: SignedJwt,
): Promise<'verified' | { readonly workload: FaultyWorkload }> {
  const { federated_credentials: credentials = [], token_endpoint_auth_signing_alg: alg } = client;
  const issuer = issuerOf(services.config.baseUrl, app);
  const expected = { credentials, issuer, algs: alg === undefined ? asymmetricAlgs : [alg] };
  const found = credentialsFor(token, expected, services.clock.now());
  if ('fault' in found) return { workload: found };
  const faults: FaultyWorkload[] = [];
  for (const credential of found) {
    const fault = await verifyByIssuer(services, credential, token);
    if (fault === 'verified') return fault;
    faults.push({ fault, expected: credential.jwks_uri ?? credential.issuer, received: token.kid });
  }
  return { workload: faults[0] as FaultyWorkload };
}

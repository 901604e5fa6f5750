import type { SignedJwt } from '../../platform/crypto/signed-jwt.rules.ts';
import type { Services } from '../../services.ts';
import { type Verdict, verifyWithKeys } from '../client-authentication/jwt-verifier.ts';
import type { TrustedIssuer } from './issuer.rules.ts';

/** `metadata`: what the issuer publishes about itself does not lead to keys of its own. */
export type IssuerVerdict = Verdict | 'metadata';

/** Whether this issuer has signed the JWT. Its metadata and keys are fetched when they are needed, and cached. */
export async function verifyByIssuer(
  { issuerKeySets, providerMetadata }: Pick<Services, 'issuerKeySets' | 'providerMetadata'>,
  { issuer, jwks, jwks_uri }: TrustedIssuer,
  jwt: SignedJwt,
): Promise<IssuerVerdict> {
  if (jwks || jwks_uri !== undefined) return verifyWithKeys(issuerKeySets, { jwks, jwks_uri }, jwt);
  const metadata = await providerMetadata.read(issuer);
  if (metadata.kind === 'failed') return 'metadata';
  const { issuer: named, jwks_uri: published } = metadata.document;
  // OpenID Connect Discovery section 4.3: who publishes under the name of another is not believed.
  if (named !== issuer || typeof published !== 'string') return 'metadata';
  return verifyWithKeys(issuerKeySets, { jwks_uri: published }, jwt);
}

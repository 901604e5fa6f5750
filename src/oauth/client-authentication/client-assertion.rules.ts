import { type AsymmetricAlg, asymmetricAlgs } from '../../directory/clients/keys.rules.ts';
import {
  CLOCK_SKEW_SECONDS,
  hasBegun,
  isMeantFor,
  isTime,
  readSignedJwt,
  type SignedJwt,
} from '../../platform/crypto/signed-jwt.rules.ts';
import type { UsedAt } from '../../platform/single-use/rules.ts';

/** Assertions by which a client authenticates: private_key_jwt and client_secret_jwt (RFC 7523 section 3, OpenID Connect Core section 9). */
export const CLIENT_ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** The method whose key is the client's secret. HS256 alone: it is what libraries send (OpenID Connect Core section 9). */
export const SECRET_ALG = 'HS256';
export const assertionAlgs = [...asymmetricAlgs, SECRET_ALG] as const;
export type AssertionAlg = (typeof assertionAlgs)[number];

/** The furthest expiry. A captured assertion that never arrived is of use until then, and each `jti` is stored for as long. */
export const MAX_ASSERTION_SECONDS = 300;

/** Which check an assertion failed. The client gets the same answer for all of them; the explanation tells operators. */
export type AssertionFault =
  /** client_assertion_type. */
  | 'type'
  | 'malformed'
  /** The client is registered for another method. */
  | 'method'
  | 'algorithm'
  | 'issuer'
  | 'audience'
  | 'expiryMissing'
  | 'expired'
  | 'expiryTooFar'
  | 'notYetValid'
  | 'idMissing'
  | 'keyUnknown'
  | 'signature'
  /** jwks_uri cannot be read. */
  | 'keysUnreachable'
  /** The client's secret was made before it was registered for client_secret_jwt: the server has its hash alone. */
  | 'secretNotKept'
  | 'replayed';

/** `client-authentication+jwt` is of the update of RFC 7523; `JOSE` says no more than no `typ` at all, and SPIFFE may send it. */
const TYPES = [undefined, 'jwt', 'client-authentication+jwt', 'jose'];

export function readAssertion(text: string): SignedJwt | undefined {
  return readSignedJwt(text, TYPES);
}

export interface ExpectedAssertion {
  readonly clientId: string;
  readonly issuer: string;
  /** The registered one (`token_endpoint_auth_signing_alg`), or every algorithm of the method. */
  readonly algs: readonly string[];
  /** Whether the issuer is its only audience, as a text (FAPI 2.0 Security Profile section 5.3.2.1). */
  readonly isForIssuerAlone?: boolean;
}

/** What the assertion claims and must not; undefined: all of it is right, if it is the client's own. */
export function assertionFault(
  assertion: SignedJwt,
  { clientId, issuer, algs, isForIssuerAlone }: ExpectedAssertion,
  now: number,
): AssertionFault | undefined {
  const { iss, sub, aud, exp, jti } = assertion.claims;
  if (!algs.includes(assertion.alg)) return 'algorithm';
  if (iss !== clientId || sub !== clientId) return 'issuer';
  if (isForIssuerAlone ? aud !== issuer : !isMeantFor(assertion, audiences(issuer))) return 'audience';
  if (!isTime(exp)) return 'expiryMissing';
  if (exp + CLOCK_SKEW_SECONDS <= now) return 'expired';
  if (exp > now + MAX_ASSERTION_SECONDS + CLOCK_SKEW_SECONDS) return 'expiryTooFar';
  if (!hasBegun(assertion, now)) return 'notYetValid';
  return typeof jti === 'string' && jti !== '' ? undefined : 'idMissing';
}

/**
 * The issuer, which the update of RFC 7523 demands; the token endpoint, which OpenID Connect Core section 9 recommends; or the endpoint
 * for pushed requests (RFC 9126 section 2) or for backchannel requests (CIBA section 7.1).
 */
function audiences(issuer: string): readonly string[] {
  return [issuer, `${issuer}/token`, `${issuer}/par`, `${issuer}/bc-authorize`];
}

/** Of an assertion that passed `assertionFault`. While it is valid, another one can have an expiry that is so much later, or earlier. */
export function useOfAssertion({ claims }: SignedJwt): UsedAt {
  return { time: claims.exp as number, within: MAX_ASSERTION_SECONDS + 2 * CLOCK_SKEW_SECONDS };
}

export function isAsymmetric(alg: string): alg is AsymmetricAlg {
  return (asymmetricAlgs as readonly string[]).includes(alg);
}

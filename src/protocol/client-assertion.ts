import { type AsymmetricAlg, asymmetricAlgs } from './client-keys.ts';
import { readJwtPart } from './jwt-part.ts';
import type { UsedAt } from './single-use.ts';

/** Assertions by which a client authenticates: private_key_jwt and client_secret_jwt (RFC 7523 section 3, OpenID Connect Core section 9). */
export const CLIENT_ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** The method whose key is the client's secret. HS256 alone: it is what libraries send (OpenID Connect Core section 9). */
export const SECRET_ALG = 'HS256';
export const assertionAlgs = [...asymmetricAlgs, SECRET_ALG] as const;
export type AssertionAlg = (typeof assertionAlgs)[number];

/** The furthest expiry. A captured assertion that never arrived is of use until then, and each `jti` is stored for as long. */
export const MAX_ASSERTION_SECONDS = 300;
/** By which clocks may differ. */
export const CLOCK_SKEW_SECONDS = 60;
const MAX_ASSERTION_LENGTH = 8192;

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

/** What an assertion says, before its signature is verified. */
export interface ClientAssertion {
  readonly text: string;
  readonly alg: string;
  readonly kid: string | undefined;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** RFC 8725 section 3.11: a JWT for another purpose names it here. `client-authentication+jwt` is of the update of RFC 7523. */
const TYPES = [undefined, 'jwt', 'client-authentication+jwt'];

export function readAssertion(text: string): ClientAssertion | undefined {
  const parts = text.split('.');
  if (parts.length !== 3 || text.length > MAX_ASSERTION_LENGTH) return undefined;
  const [header, claims] = [readJwtPart(parts[0]), readJwtPart(parts[1])];
  // No extension is understood here (RFC 7515 section 4.1.11).
  if (!header || !claims || 'crit' in header || 'b64' in header) return undefined;
  const { alg, kid, typ } = header;
  if (typeof alg !== 'string' || (kid !== undefined && typeof kid !== 'string')) return undefined;
  const type = typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : typ;
  return (TYPES as unknown[]).includes(type) ? { text, alg, kid, claims } : undefined;
}

export interface ExpectedAssertion {
  readonly clientId: string;
  readonly issuer: string;
  /** The registered one (`token_endpoint_auth_signing_alg`), or every algorithm of the method. */
  readonly algs: readonly string[];
}

/** What the assertion claims and must not; undefined: all of it is right, if it is the client's own. */
export function assertionFault(
  { alg, claims }: ClientAssertion,
  { clientId, issuer, algs }: ExpectedAssertion,
  now: number,
): AssertionFault | undefined {
  const { iss, sub, aud, exp, nbf, iat, jti } = claims;
  if (!algs.includes(alg)) return 'algorithm';
  if (iss !== clientId || sub !== clientId) return 'issuer';
  if (!isForUs(aud, issuer)) return 'audience';
  if (!isTime(exp)) return 'expiryMissing';
  if (exp + CLOCK_SKEW_SECONDS <= now) return 'expired';
  if (exp > now + MAX_ASSERTION_SECONDS + CLOCK_SKEW_SECONDS) return 'expiryTooFar';
  for (const time of [nbf, iat]) {
    if (time !== undefined && (!isTime(time) || time > now + CLOCK_SKEW_SECONDS)) return 'notYetValid';
  }
  return typeof jti === 'string' && jti !== '' ? undefined : 'idMissing';
}

/**
 * The issuer, which the update of RFC 7523 demands; the token endpoint, which OpenID Connect Core section 9 recommends; or the endpoint
 * for pushed requests (RFC 9126 section 2).
 */
function isForUs(aud: unknown, issuer: string): boolean {
  const accepted = [issuer, `${issuer}/token`, `${issuer}/par`];
  return (Array.isArray(aud) ? aud : [aud]).some(one => accepted.includes(one));
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** Of an assertion that passed `assertionFault`. While it is valid, another one can have an expiry that is so much later, or earlier. */
export function useOfAssertion({ claims }: ClientAssertion): UsedAt {
  return { time: claims.exp as number, within: MAX_ASSERTION_SECONDS + 2 * CLOCK_SKEW_SECONDS };
}

export function isAsymmetric(alg: string): alg is AsymmetricAlg {
  return (asymmetricAlgs as readonly string[]).includes(alg);
}

import {
  CLOCK_SKEW_SECONDS,
  hasBegun,
  isMeantFor,
  isTime,
  type SignedJwt,
} from '../../platform/crypto/signed-jwt.rules.ts';
import type { TrustedIssuer } from '../trusted-issuers/issuer.rules.ts';

/** A workload that is the client: to whom its platform has issued a token (Kubernetes, GitHub Actions, GitLab, SPIFFE). */
export interface FederatedCredential extends TrustedIssuer {
  /** The `sub`, compared exactly: no `*` stands for others. */
  readonly subject: string;
  /** Undefined: the issuer of the application. */
  readonly audience?: string | undefined;
}

/** A token for a month is a secret. Platforms issue them for minutes, GitLab for as long as a job may take. */
export const MAX_WORKLOAD_SECONDS = 86_400;

/** Which check the token of a workload failed. The client is told as little as with any assertion. */
export type WorkloadFault =
  | 'issuer'
  | 'subject'
  | 'audience'
  | 'algorithm'
  | 'expiryMissing'
  | 'expired'
  | 'expiryTooFar'
  | 'notYetValid'
  /** The issuer publishes no metadata, or those of another one. */
  | 'metadata'
  | 'keysUnreachable'
  | 'keyUnknown'
  | 'signature';

export interface FaultyWorkload {
  readonly fault: WorkloadFault;
  /** For the explanation. */
  readonly expected?: string | undefined;
  readonly received?: string | undefined;
}

interface Expected {
  readonly credentials: readonly FederatedCredential[];
  /** Of the application: the audience of a credential that names none. */
  readonly issuer: string;
  readonly algs: readonly string[];
}

/**
 * The credentials that the token is for, if the issuer of one has signed it; or what it claims and must not. Clusters that were set up alike
 * have the same issuer and different keys.
 */
export function credentialsFor(
  token: SignedJwt,
  { credentials, issuer, algs }: Expected,
  now: number,
): readonly FederatedCredential[] | FaultyWorkload {
  const { iss, sub, aud } = token.claims;
  const ofIssuer = credentials.filter(one => one.issuer === iss);
  if (ofIssuer.length === 0)
    return differing(
      'issuer',
      credentials.map(one => one.issuer),
      iss,
    );
  const ofSubject = ofIssuer.filter(one => one.subject === sub);
  if (ofSubject.length === 0)
    return differing(
      'subject',
      ofIssuer.map(one => one.subject),
      sub,
    );
  const audienceOf = (one: FederatedCredential) => one.audience ?? issuer;
  const found = ofSubject.filter(one => isMeantFor(token, [audienceOf(one)]));
  if (found.length === 0) return differing('audience', ofSubject.map(audienceOf), aud);
  if (!algs.includes(token.alg)) return differing('algorithm', algs, token.alg);
  const fault = timeFault(token, now);
  return fault ? { fault } : found;
}

function timeFault(token: SignedJwt, now: number): WorkloadFault | undefined {
  const { exp } = token.claims;
  if (!isTime(exp)) return 'expiryMissing';
  if (exp + CLOCK_SKEW_SECONDS <= now) return 'expired';
  if (exp > now + MAX_WORKLOAD_SECONDS + CLOCK_SKEW_SECONDS) return 'expiryTooFar';
  return hasBegun(token, now) ? undefined : 'notYetValid';
}

const MAX_SHOWN = 300;

function differing(fault: WorkloadFault, expected: readonly string[], received: unknown): FaultyWorkload {
  const text = Array.isArray(received) ? received.join(', ') : String(received ?? '');
  return { fault, expected: [...new Set(expected)].join(', ').slice(0, MAX_SHOWN), received: text.slice(0, MAX_SHOWN) };
}

/** Which method a client has that names workloads and no method: their tokens are assertions. */
export function withFederation(given: unknown): unknown {
  if (typeof given !== 'object' || given === null || !('federated_credentials' in given)) return given;
  const { federated_credentials: credentials } = given;
  const isNamed = 'token_endpoint_auth_method' in given && given.token_endpoint_auth_method != null;
  const hasSome = Array.isArray(credentials) && credentials.length > 0;
  return isNamed || !hasSome ? given : { ...given, token_endpoint_auth_method: 'private_key_jwt' };
}

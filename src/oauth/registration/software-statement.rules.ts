import {
  CLOCK_SKEW_SECONDS,
  hasBegun,
  isMeantFor,
  isTime,
  MAX_JWT_LENGTH,
  type SignedJwt,
} from '../../platform/crypto/signed-jwt.rules.ts';
import { isAsymmetric } from '../client-authentication/client-assertion.rules.ts';
import type { TrustedIssuer } from '../trusted-issuers/issuer.rules.ts';

/** Whose software statements (RFC 7591 section 2.3) count when a client registers itself. */
export interface SoftwareStatements {
  /** Whether no client registers without one. */
  readonly required: boolean;
  readonly issuers: readonly TrustedIssuer[];
}

/** RFC 7591 defines no `typ`. A JWT that names another purpose, such as `at+jwt`, is no statement. */
export const STATEMENT_TYPES = [undefined, 'jwt', 'software-statement+jwt'];

/** Why a statement does not count. */
export const statementFaults = {
  malformed: `it is no signed JWT of at most ${MAX_JWT_LENGTH} characters, or its typ or crit names another kind of token`,
  issuerMissing: 'it has no iss',
  otherPurpose: 'it has neither software_id nor metadata of a client other than scope',
  audience: 'its aud says that it is for another server',
  expired: 'it has expired',
  notYetValid: 'it is not valid yet',
  algorithm: 'its alg is no asymmetric algorithm',
  keyUnknown: 'its issuer has no key of its kid and alg',
  signature: 'its signature is wrong',
} as const;
export type StatementFault = keyof typeof statementFaults;

export function findIssuer(trusted: SoftwareStatements | undefined, iss: string): TrustedIssuer | undefined {
  return trusted?.issuers.find(({ issuer }) => issuer === iss);
}

/**
 * What the statement claims and must not; undefined: all of it is right, if its issuer has signed it. Statements are made for many servers
 * and for every installation of a program, so `aud` and `exp` may be left out. Other JWTs of the same issuer are no statements (RFC 8725
 * section 3.12): an ID token has another `aud`, and an access token says nothing about a client but its `scope`.
 */
export function statementFault(
  statement: SignedJwt,
  issuer: string,
  metadata: readonly string[],
  now: number,
): StatementFault | undefined {
  const { aud, exp } = statement.claims;
  if (!isAsymmetric(statement.alg)) return 'algorithm';
  const isAboutClient = (name: string) => name !== 'scope' && (statement.claims[name] ?? undefined) !== undefined;
  if (!['software_id', ...metadata].some(isAboutClient)) return 'otherPurpose';
  if (aud !== undefined && !isMeantFor(statement, [issuer, `${issuer}/register`])) return 'audience';
  if (exp !== undefined && (!isTime(exp) || exp + CLOCK_SKEW_SECONDS <= now)) return 'expired';
  return hasBegun(statement, now) ? undefined : 'notYetValid';
}

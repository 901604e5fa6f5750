import { asymmetricAlgs } from '../../directory/clients/keys.rules.ts';
import { readJwtPart } from '../../platform/crypto/jwt-part.rules.ts';
import { CLOCK_SKEW_SECONDS, isTime, readSignedJwt, type SignedJwt } from '../../platform/crypto/signed-jwt.rules.ts';
import type { UsedAt } from '../../platform/single-use/rules.ts';
import type { Profile } from '../fapi/profiles.rules.ts';
import { allowedAlgs } from '../fapi/rules.ts';
import type { Scope } from '../token/scope.rules.ts';
import type { TrustedIssuer } from '../trusted-issuers/issuer.rules.ts';
import { ID_JAG_JWT_TYPE } from './names.rules.ts';

/** Assertions of other issuers about people (section 4.4 of the draft): which count here. Pure. */

/** How an assertion finds its person. `link`: the person has signed in with the issuer before. `email`: the issuer is trusted for addresses too. */
export const subjectRules = ['link', 'email'] as const;

/** Whose assertions an application takes. */
export interface AssertionIssuer extends TrustedIssuer {
  readonly subject: (typeof subjectRules)[number];
  /** The clients of the application that may bring them. */
  readonly clients: readonly string[];
  /** All that a token can have. */
  readonly scopes: readonly Scope[];
  /** Of authorization details (RFC 9396). Undefined: none. */
  readonly authorization_details_types?: readonly string[] | undefined;
}

export interface WithAssertionIssuers {
  readonly assertion_issuers?: readonly AssertionIssuer[] | undefined;
}

export function takesAssertions({ assertion_issuers: issuers = [] }: WithAssertionIssuers): boolean {
  return issuers.length > 0;
}

/** The furthest `exp`, and the oldest `iat`. Issuers make them for minutes; each `jti` is stored for as long. */
export const MAX_ASSERTION_AGE_SECONDS = 3600;

/** Why an assertion does not count, in the words of the answer: about the assertion alone, and nothing about people. */
export const assertionFaults = {
  malformed: 'it is no signed JWT',
  type: `its typ is not ${ID_JAG_JWT_TYPE}`,
  issuer: 'its iss may issue no assertions for this client',
  ownIssuer: 'its iss is this issuer itself',
  audience: 'its aud is not this issuer alone',
  clientId: 'its client_id is another client',
  algorithm: 'its alg is not accepted',
  timesMissing: 'it has no exp or no iat',
  expired: 'it has expired',
  tooLong: 'it is valid for too long',
  notYetValid: 'it is not valid yet',
  idMissing: 'it has no jti',
  subjectMissing: 'it has no sub',
  claimMalformed: 'its scope, resource or auth_time is malformed',
  actor: 'it has an act, which is not supported',
  keyMissing: 'it is bound to a key, and the request does not prove it',
  metadata: 'the metadata of its issuer cannot be used',
  keysUnreachable: 'the keys of its issuer cannot be read',
  keyUnknown: 'its issuer has no such key',
  signature: 'its signature is wrong',
  replayed: 'it was used before',
} as const;
export type AssertionFault = keyof typeof assertionFaults;

/** Why nobody is found, or the person may not come in: never told to the client. */
export type PersonFault =
  | 'noProvider'
  | 'noLink'
  | 'severalLinks'
  | 'emailMissing'
  | 'emailUnverifiedThere'
  | 'noAccount'
  | 'emailUnverifiedHere'
  | 'linkedToOther'
  | 'otherLinked'
  | 'disabled'
  | 'notAllowed'
  | 'gone';

export interface FaultyAssertion {
  readonly fault: AssertionFault | PersonFault;
  /** For the explanation. */
  readonly expected?: string | undefined;
  readonly received?: string | undefined;
}

/** An assertion whose claims are right, if its issuer has signed it. */
export interface ReadAssertion {
  readonly jwt: SignedJwt;
  readonly issuer: AssertionIssuer;
  readonly sub: string;
  readonly jti: string;
  readonly exp: number;
  /** Undefined: it says nothing, and not that there is none. */
  readonly scope: readonly Scope[] | undefined;
  readonly resources: readonly string[] | undefined;
  /** As it was sent. */
  readonly details: unknown;
  readonly authTime: number | undefined;
}

interface Expected {
  readonly issuers: readonly AssertionIssuer[];
  /** Of the application. */
  readonly issuer: string;
  readonly client: { readonly client_id: string; readonly profile?: Profile | undefined };
}

export function readIdentityAssertion(
  text: string,
  { issuers, issuer: own, client }: Expected,
  now: number,
): ReadAssertion | FaultyAssertion {
  const jwt = readSignedJwt(text, [ID_JAG_JWT_TYPE]);
  if (!jwt) return unreadable(text);
  const { iss, sub, aud, jti, client_id: clientId } = jwt.claims;
  const algs = allowedAlgs(client, asymmetricAlgs);
  if (!algs.includes(jwt.alg)) return differing('algorithm', algs, jwt.alg);
  // Section 8.3: it would widen what the client may do here.
  if (iss === own) return { fault: 'ownIssuer', received: own };
  const trusted = issuers.filter(({ clients }) => clients.includes(client.client_id));
  const issuer = trusted.find(one => one.issuer === iss);
  if (!issuer) return differing('issuer', issuersOf(trusted), iss);
  const [audience, ...others] = Array.isArray(aud) ? aud : [aud];
  if (audience !== own || others.length > 0) return differing('audience', [own], aud);
  if (clientId !== client.client_id) return differing('clientId', [client.client_id], clientId);
  const timed = timeFault(jwt, now);
  if (timed) return { fault: timed };
  if (!isText(jti)) return { fault: 'idMissing' };
  if (!isText(sub)) return { fault: 'subjectMissing' };
  // It would be lost in the token, and with it that somebody else acts.
  if (jwt.claims.act !== undefined) return { fault: 'actor' };
  const asked = askedIn(jwt);
  return asked ? { jwt, issuer, sub, jti, exp: jwt.claims.exp as number, ...asked } : { fault: 'claimMalformed' };
}

/** What is wrong with the header: the type is what people get wrong. */
function unreadable(text: string): FaultyAssertion {
  const header = readJwtPart(text.split('.')[0]);
  const isOther = header !== undefined && header.typ !== ID_JAG_JWT_TYPE && text.split('.').length === 3;
  return isOther ? differing('type', [ID_JAG_JWT_TYPE], header.typ) : { fault: 'malformed' };
}

function issuersOf(trusted: readonly AssertionIssuer[]): readonly string[] {
  return trusted.map(({ issuer }) => issuer);
}

function timeFault({ claims: { exp, iat, nbf } }: SignedJwt, now: number): AssertionFault | undefined {
  if (!isTime(exp) || !isTime(iat)) return 'timesMissing';
  if (exp + CLOCK_SKEW_SECONDS <= now) return 'expired';
  const latest = now + CLOCK_SKEW_SECONDS;
  if (iat > latest || (nbf !== undefined && !(isTime(nbf) && nbf <= latest))) return 'notYetValid';
  const isLong = exp > latest + MAX_ASSERTION_AGE_SECONDS || iat + MAX_ASSERTION_AGE_SECONDS + CLOCK_SKEW_SECONDS < now;
  return isLong ? 'tooLong' : undefined;
}

function askedIn({
  claims,
}: SignedJwt): Pick<ReadAssertion, 'scope' | 'resources' | 'details' | 'authTime'> | undefined {
  const { scope, resource, authorization_details: details, auth_time: authTime } = claims;
  const resources = typeof resource === 'string' ? [resource] : resource;
  if (scope !== undefined && typeof scope !== 'string') return undefined;
  if (resources !== undefined && !(Array.isArray(resources) && resources.every(isText))) return undefined;
  if (authTime !== undefined && !isTime(authTime)) return undefined;
  const words = scope?.split(' ').filter(one => one !== '');
  return { scope: words, resources: resources as string[] | undefined, details, authTime };
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

const MAX_SHOWN = 300;

function differing(fault: AssertionFault, expected: readonly string[], received: unknown): FaultyAssertion {
  const text = Array.isArray(received) ? received.join(', ') : String(received ?? '');
  return { fault, expected: expected.join(', ').slice(0, MAX_SHOWN), received: text.slice(0, MAX_SHOWN) };
}

/** While an assertion is valid, another one can have an expiry that is so much later, or earlier. */
export function useOfIdentityAssertion({ exp }: ReadAssertion): UsedAt {
  return { time: exp, within: MAX_ASSERTION_AGE_SECONDS + 2 * CLOCK_SKEW_SECONDS };
}

/**
 * Whether two addresses are one, letters compared without case. Of others than ASCII only the same: what folds or normalises to the address of
 * somebody may be another mailbox at the issuer.
 */
export function isSameAddress(one: string, other: string): boolean {
  const isAscii = (text: string) => /^[!-~]+$/.test(text);
  return one === other || (isAscii(one) && isAscii(other) && one.toLowerCase() === other.toLowerCase());
}

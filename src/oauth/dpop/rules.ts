import { hash } from 'node:crypto';
import {
  type AsymmetricAlg,
  asymmetricAlgs,
  bareKey,
  canVerify,
  hasSecretMember,
  isClientKey,
} from '../../directory/clients/keys.rules.ts';
import { isObject, type JwtObject, readJwtPart } from '../../platform/crypto/jwt-part.rules.ts';
import type { UsedAt } from '../../platform/single-use/rules.ts';

/** DPoP proofs (RFC 9449): what a proof must say. signature.ts verifies its signature. */
export const dpopAlgs = asymmetricAlgs;

/** An RSA key of 8192 bits and its signature take half of it. */
export const MAX_PROOF_LENGTH = 8192;
/** By which `iat` may differ from the clock of the server, where the proof has no nonce. */
export const PROOF_WINDOW_SECONDS = 60;
/** A nonce of the server is good in the step in which it was made and in the next one. */
export const NONCE_STEP_SECONDS = 120;

/** Which check a proof failed. The error description names the header or claim. */
export type ProofFault =
  | 'missing'
  /** More than one header DPoP. */
  | 'several'
  | 'tooLong'
  | 'malformed'
  | 'type'
  | 'algorithm'
  | 'key'
  | 'privateKey'
  | 'method'
  | 'address'
  | 'tokenHash'
  | 'idMissing'
  | 'timeMissing'
  /** `iat` is too far away, and there is no nonce that would say when the proof was made. */
  | 'tooOld'
  | 'tooEarly'
  /** A nonce that this server did not make, or made too long ago. */
  | 'nonceUnknown'
  | 'nonceStale'
  | 'signature'
  | 'replayed'
  /** The proof is right, and by another key than the one that the code or token is bound to. */
  | 'otherKey'
  /** The token is bound to a key and came as a bearer token, or the other way round. */
  | 'scheme';

/** What the error description calls each. */
export const PROOF_PARTS: Readonly<Record<ProofFault, string>> = {
  missing: 'missing',
  several: 'more than one',
  tooLong: 'too long',
  malformed: 'not a JWT',
  type: 'typ',
  algorithm: 'alg',
  key: 'jwk',
  privateKey: 'jwk',
  method: 'htm',
  address: 'htu',
  tokenHash: 'ath',
  idMissing: 'jti',
  timeMissing: 'iat',
  tooOld: 'iat',
  tooEarly: 'iat',
  nonceUnknown: 'nonce',
  nonceStale: 'nonce',
  signature: 'signature',
  replayed: 'jti',
  otherKey: 'jwk',
  scheme: 'Authorization',
};

export interface FaultyProof {
  readonly fault: ProofFault;
  /** For the explanation: never a secret. */
  readonly expected?: string | undefined;
  readonly received?: string | undefined;
}

/** What the header of a proof says; all proofs of a client by one key have the same header. */
export interface ProofHeader {
  readonly alg: AsymmetricAlg;
  /** The public members alone. */
  readonly jwk: Readonly<Record<string, string>>;
  /** RFC 7638: `jkt`. */
  readonly thumbprint: string;
}

/** RFC 9449 section 4.2. */
const TYPE = 'dpop+jwt';

/** RFC 9449 section 4.3, checks 3 to 7 without the signature. */
export function readProofHeader(part: string): ProofHeader | FaultyProof {
  const header = readJwtPart(part);
  // No extension is understood here (RFC 7515 section 4.1.11).
  if (!header || 'crit' in header || 'b64' in header) return { fault: 'malformed' };
  const { typ, alg, jwk } = header;
  if (typeof typ !== 'string' || typ.toLowerCase().replace(/^application\//, '') !== TYPE) return { fault: 'type' };
  if (!isAlg(alg)) return { fault: 'algorithm', received: knownAlg(alg) };
  if (isObject(jwk) && hasSecretMember(jwk)) return { fault: 'privateKey' };
  if (!isClientKey(jwk) || !canVerify(jwk, alg)) return { fault: 'key' };
  const bare = bareKey(jwk);
  return { alg, jwk: bare, thumbprint: thumbprintOf(bare) };
}

function isAlg(alg: unknown): alg is AsymmetricAlg {
  return (dpopAlgs as readonly unknown[]).includes(alg);
}

/** Of the others, those that are tried: any text might be a secret. */
function knownAlg(alg: unknown): string | undefined {
  return ['none', 'HS256', 'HS384', 'HS512', 'ES256K'].find(name => name === alg);
}

/** RFC 7638 section 3: the members that make the key, in the order of their names. */
function thumbprintOf(bare: Readonly<Record<string, string>>): string {
  const members = Object.keys(bare).sort();
  return hash('sha256', JSON.stringify(Object.fromEntries(members.map(name => [name, bare[name]]))), 'base64url');
}

export interface ExpectedProof {
  readonly method: string;
  /** From the base URL of the server and the path of the request, never from the header Host. */
  readonly url: string;
  /** The same where clients show their certificate (RFC 8705 section 5). */
  readonly alias?: string | undefined;
  /** The token that the proof goes with. */
  readonly accessToken: string | undefined;
}

/** RFC 9449 section 4.3, checks 8, 9 and 12, and the claims that every proof has. Undefined: all of them are right. */
export function claimsFault(claims: JwtObject, expected: ExpectedProof): FaultyProof | undefined {
  const { htm, htu, ath, jti, iat } = claims;
  if (htm !== expected.method) return { fault: 'method', expected: expected.method, received: knownMethod(htm) };
  const { url, alias } = expected;
  if (!isUrl(htu, url) && !(alias !== undefined && isUrl(htu, alias)))
    return { fault: 'address', expected: expected.url, received: shortText(htu) };
  if (typeof jti !== 'string' || jti === '') return { fault: 'idMissing' };
  if (typeof iat !== 'number' || !Number.isFinite(iat)) return { fault: 'timeMissing' };
  const { accessToken } = expected;
  if (accessToken !== undefined && ath !== hash('sha256', accessToken, 'base64url')) return { fault: 'tokenHash' };
  return undefined;
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

function knownMethod(htm: unknown): string | undefined {
  return METHODS.find(method => method.toLowerCase() === String(htm).toLowerCase()) === undefined
    ? undefined
    : String(htm);
}

const MAX_SHOWN_LENGTH = 300;

function shortText(htu: unknown): string | undefined {
  return typeof htu === 'string' ? htu.slice(0, MAX_SHOWN_LENGTH) : undefined;
}

/** RFC 3986 without the characters that programs repair in different ways. */
const URL_TEXT = /^[\x21\x23-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e]+$/;

/** Without query and fragment; case of scheme and host, default port and dot segments do not count (RFC 9449 section 4.3). */
function isUrl(htu: unknown, expected: string): boolean {
  if (htu === expected) return true;
  if (typeof htu !== 'string' || !URL_TEXT.test(htu)) return false;
  const url = URL.parse(htu);
  const wanted = URL.parse(expected);
  if (!url || !wanted || url.username !== '' || url.password !== '') return false;
  return url.origin === wanted.origin && url.protocol === wanted.protocol && url.pathname === wanted.pathname;
}

/** Whether `iat` alone shows that the proof was made just now (RFC 9449 section 11.1). */
export function timeFault(iat: number, now: number): FaultyProof | undefined {
  const age = now - iat;
  if (Math.abs(age) <= PROOF_WINDOW_SECONDS) return undefined;
  const fault = age > 0 ? 'tooOld' : 'tooEarly';
  return { fault, expected: String(now), received: String(Math.round(iat)) };
}

export function nonceStep(time: number): number {
  return Math.floor(time / NONCE_STEP_SECONDS);
}

/** A nonce of the step before is good, and one of the next step: the clock of another node may be ahead. */
export function isCurrentStep(step: number, now: number): boolean {
  return Math.abs(nonceStep(now) - step) <= 1;
}

/** While a proof is accepted, by its nonce or by `iat`, those of two steps before and after it can be. */
export function useOfProof(step: number): UsedAt {
  return { time: step * NONCE_STEP_SECONDS, within: 2 * NONCE_STEP_SECONDS };
}

import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import {
  type AsymmetricAlg,
  bareKey,
  type ClientKey,
  type ClientKeySet,
  candidateKeys,
  importKey,
} from '../../directory/clients/keys.rules.ts';
import type { Client } from '../../directory/clients/rules.ts';
import { isSignedBy, isSignedBySlow, verifyingKey } from '../../directory/clients/verify-signature.ts';
import { BASE64URL } from '../../platform/crypto/jwt-part.rules.ts';
import type { SignedJwt } from '../../platform/crypto/signed-jwt.rules.ts';
import { type AssertionFault, isAsymmetric, SECRET_ALG } from './client-assertion.rules.ts';

/** The key sets that clients publish, or issuers (platform/outbound/document-cache.ts). */
export interface KeySets {
  read(uri: string): Promise<FetchedKeySet>;
  /** A newer one than `known`; undefined if it was fetched a moment ago. */
  readNewer(uri: string, known: FetchedKeySet): Promise<FetchedKeySet | undefined>;
}

export type FetchedKeySet =
  | { readonly kind: 'read'; readonly document: ClientKeySet }
  | { readonly kind: 'failed'; readonly reason: string };

export type Verdict =
  | 'verified'
  | Extract<AssertionFault, 'algorithm' | 'keyUnknown' | 'signature' | 'keysUnreachable'>;

/** Whether one of the keys has signed the JWT: those of a client (private_key_jwt), or of an issuer. */
export async function verifyWithKeys(
  keySets: KeySets,
  { jwks, jwks_uri: uri }: Pick<Client, 'jwks' | 'jwks_uri'>,
  jwt: SignedJwt,
): Promise<Verdict> {
  if (jwks) return verifyWithAny(jwks.keys, jwt);
  // A client whose assertions are those of its workloads alone.
  if (uri === undefined) return 'keyUnknown';
  const known = await keySets.read(uri);
  if (known.kind !== 'read') return 'keysUnreachable';
  const verdict = await verifyWithAny(known.document.keys, jwt);
  // There may be a new key; not with a `kid` that is known.
  if (verdict === 'verified' || (verdict === 'signature' && jwt.kid !== undefined)) return verdict;
  const newer = await keySets.readNewer(uri, known);
  return newer?.kind === 'read' ? verifyWithAny(newer.document.keys, jwt) : verdict;
}

async function verifyWithAny(keys: readonly ClientKey[], jwt: SignedJwt): Promise<Verdict> {
  const { alg, kid } = jwt;
  if (!isAsymmetric(alg)) return 'algorithm';
  const candidates = candidateKeys(keys, { alg, kid });
  if (candidates.length === 0) return 'keyUnknown';
  for (const key of candidates) {
    if (await isSignedWith(key, alg, jwt)) return 'verified';
  }
  return 'signature';
}

/** Importing a key takes a quarter of the time of a verification. As long as the client or document is in a cache. */
const keyObjects = new WeakMap<ClientKey, KeyObject>();

async function isSignedWith(key: ClientKey, alg: AsymmetricAlg, { text }: SignedJwt): Promise<boolean> {
  const known = keyObjects.get(key) ?? importKey(bareKey(key));
  if (!known) return false;
  keyObjects.set(key, known);
  const [signed, signature] = partsOf(text);
  const verifying = verifyingKey(known, alg);
  return isSlow(key) ? isSignedBySlow(verifying, signed, signature) : isSignedBy(verifying, signed, signature);
}

/** In base64url: a modulus of 4096 bits, and the exponent 65537. Beyond them one verification can take milliseconds. */
const MAX_QUICK_MODULUS = 683;
const MAX_QUICK_EXPONENT = 4;

function isSlow({ kty, n, e }: ClientKey): boolean {
  return kty === 'RSA' && (String(n).length > MAX_QUICK_MODULUS || String(e).length > MAX_QUICK_EXPONENT);
}

function partsOf(text: string): readonly [signed: string, signature: string] {
  const dot = text.lastIndexOf('.');
  return [text.slice(0, dot), text.slice(dot + 1)];
}

/** client_secret_jwt: whether the JWT is signed with one of these secrets. */
export function verifyWithSecrets(
  secrets: readonly Buffer[],
  { text, alg }: SignedJwt,
): 'verified' | 'algorithm' | 'signature' {
  if (alg !== SECRET_ALG) return 'algorithm';
  const [signed, signature] = partsOf(text);
  const received = Buffer.from(BASE64URL.test(signature) ? signature : '', 'base64url');
  const isRight = secrets.some(secret => {
    const expected = createHmac('sha256', secret).update(signed, 'latin1').digest();
    return received.length === expected.length && timingSafeEqual(received, expected);
  });
  return isRight ? 'verified' : 'signature';
}

import type { JWK } from 'jose';
import * as errors from 'jose/errors';
import { compactVerify } from 'jose/jws/compact/verify';
import { bareKey, type ClientKey, type ClientKeySet, candidateKeys } from '../../directory/clients/keys.rules.ts';
import type { Client } from '../../directory/clients/rules.ts';
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
    if (await isSignedWith(bareKey(key) as JWK, jwt)) return 'verified';
  }
  return 'signature';
}

/** client_secret_jwt: whether the JWT is signed with one of these secrets. */
export async function verifyWithSecrets(
  secrets: readonly Buffer[],
  jwt: SignedJwt,
): Promise<'verified' | 'algorithm' | 'signature'> {
  if (jwt.alg !== SECRET_ALG) return 'algorithm';
  for (const secret of secrets) {
    if (await isSignedWith(new Uint8Array(secret), jwt)) return 'verified';
  }
  return 'signature';
}

async function isSignedWith(key: JWK | Uint8Array, { text, alg }: SignedJwt): Promise<boolean> {
  try {
    await compactVerify(text, key, { algorithms: [alg] });
    return true;
  } catch (error) {
    // Also a key that cannot be imported, such as a point beside its curve: whoever published it, nothing verifies with it.
    if (error instanceof errors.JOSEError || error instanceof TypeError || error instanceof DOMException) return false;
    throw error;
  }
}

import { compactVerify, errors, type JWK } from 'jose';
import type { Client } from '../protocol/client.ts';
import { type AssertionFault, type ClientAssertion, isAsymmetric, SECRET_ALG } from '../protocol/client-assertion.ts';
import { bareKey, type ClientKey, type ClientKeySet, candidateKeys } from '../protocol/client-keys.ts';

/** The key sets that clients publish (applications/document-cache.ts). */
export interface KeySets {
  read(uri: string): Promise<FetchedKeySet>;
  /** A newer one than `known`; undefined if it was fetched a moment ago. */
  readNewer(uri: string, known: FetchedKeySet): Promise<FetchedKeySet | undefined>;
}

export type FetchedKeySet =
  | { readonly kind: 'read'; readonly document: ClientKeySet }
  | { readonly kind: 'failed'; readonly reason: string };

type Verdict = 'verified' | Extract<AssertionFault, 'algorithm' | 'keyUnknown' | 'signature' | 'keysUnreachable'>;

/** private_key_jwt: whether a key of the client has signed the assertion. */
export async function verifyWithKeys(
  keySets: KeySets,
  { jwks, jwks_uri: uri }: Pick<Client, 'jwks' | 'jwks_uri'>,
  assertion: ClientAssertion,
): Promise<Verdict> {
  if (jwks) return verifyWithAny(jwks.keys, assertion);
  const known = uri === undefined ? undefined : await keySets.read(uri);
  if (uri === undefined || known?.kind !== 'read') return 'keysUnreachable';
  const verdict = await verifyWithAny(known.document.keys, assertion);
  // The client may have a new key. With a `kid` that is known it has not.
  if (verdict === 'verified' || (verdict === 'signature' && assertion.kid !== undefined)) return verdict;
  const newer = await keySets.readNewer(uri, known);
  return newer?.kind === 'read' ? verifyWithAny(newer.document.keys, assertion) : verdict;
}

async function verifyWithAny(keys: readonly ClientKey[], assertion: ClientAssertion): Promise<Verdict> {
  const { alg, kid } = assertion;
  if (!isAsymmetric(alg)) return 'algorithm';
  const candidates = candidateKeys(keys, { alg, kid });
  if (candidates.length === 0) return 'keyUnknown';
  for (const key of candidates) {
    if (await isSignedWith(importable(key), assertion)) return 'verified';
  }
  return 'signature';
}

/** client_secret_jwt: whether the assertion is signed with one of these secrets. */
export async function verifyWithSecrets(
  secrets: readonly Buffer[],
  assertion: ClientAssertion,
): Promise<'verified' | 'algorithm' | 'signature'> {
  if (assertion.alg !== SECRET_ALG) return 'algorithm';
  for (const secret of secrets) {
    if (await isSignedWith(new Uint8Array(secret), assertion)) return 'verified';
  }
  return 'signature';
}

async function isSignedWith(key: JWK | Uint8Array, { text, alg }: ClientAssertion): Promise<boolean> {
  try {
    await compactVerify(text, key, { algorithms: [alg] });
    return true;
  } catch (error) {
    // Also a key that cannot be imported, such as a point beside its curve: the client published it, and nothing verifies with it.
    if (error instanceof errors.JOSEError || error instanceof TypeError || error instanceof DOMException) return false;
    throw error;
  }
}

/** The same object for the same key each time: jose imports an object once. */
const imported = new WeakMap<ClientKey, JWK>();

function importable(key: ClientKey): JWK {
  const known = imported.get(key);
  if (known) return known;
  const bare = bareKey(key) as JWK;
  imported.set(key, bare);
  return bare;
}

import { importKey } from '../../directory/clients/keys.rules.ts';
import { isSignedBy, type VerifyingKey, verifyingKey } from '../../directory/clients/verify-signature.ts';
import { BoundedCache } from '../../platform/bounded-cache.ts';
import { type FaultyProof, type ProofHeader, readProofHeader } from './rules.ts';

/** Verifies the signature of a DPoP proof with the key in its own header (RFC 9449 section 4.3). */
export interface ProofKey extends ProofHeader {
  readonly verifying: VerifyingKey;
}

/**
 * Importing a key takes a quarter of the time of a verification. All proofs of a client by one key have the same header, so the header is
 * the key of the cache. Only a header whose signature was right gets there.
 */
const MAX_CACHED_KEYS = 1000;
const MAX_CACHED_LENGTH = 1200;
const known = new BoundedCache<string, ProofKey>(MAX_CACHED_KEYS);

export function proofKey(header: string): ProofKey | FaultyProof {
  const cached = known.get(header);
  if (cached) return cached;
  const read = readProofHeader(header);
  if ('fault' in read) return read;
  const key = importKey(read.jwk);
  if (!key) return { fault: 'key' };
  return { ...read, verifying: verifyingKey(key, read.alg) };
}

/** `signed`: header and payload with the dot between them, `header`: the first of them. */
export function hasSignedProof(proof: ProofKey, header: string, signed: string, signature: string): boolean {
  const isRight = isSignedBy(proof.verifying, signed, signature);
  if (isRight && header.length <= MAX_CACHED_LENGTH && known.get(header) === undefined) known.set(header, proof);
  return isRight;
}

import { constants, createPublicKey, type KeyObject, type VerifyKeyObjectInput, verify } from 'node:crypto';
import type { AsymmetricAlg } from '../../directory/clients/keys.rules.ts';
import { BoundedCache } from '../../platform/bounded-cache.ts';
import { type FaultyProof, type ProofHeader, readProofHeader } from './rules.ts';

/** Verifies the signature of a DPoP proof with the key in its own header (RFC 9449 section 4.3). */
export interface ProofKey extends ProofHeader {
  readonly digest: string | null;
  readonly verifying: VerifyKeyObjectInput;
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
  const { digest, ...options } = ALGORITHMS[read.alg];
  return { ...read, digest, verifying: { key, ...options } };
}

function importKey(jwk: ProofHeader['jwk']): KeyObject | undefined {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' });
  } catch {
    // Such as a point beside its curve.
    return undefined;
  }
}

/** `signed`: header and payload with the dot between them, `header`: the first of them. */
export function isSignedBy(proof: ProofKey, header: string, signed: string, signature: string): boolean {
  const data = Buffer.from(signed, 'latin1');
  const isRight = verify(proof.digest, data, proof.verifying, Buffer.from(signature, 'base64url'));
  if (isRight && header.length <= MAX_CACHED_LENGTH && known.get(header) === undefined) known.set(header, proof);
  return isRight;
}

interface Algorithm {
  readonly digest: string | null;
  readonly dsaEncoding?: 'ieee-p1363';
  readonly padding?: number;
  readonly saltLength?: number;
}

const pkcs1 = (digest: string): Algorithm => ({ digest, padding: constants.RSA_PKCS1_PADDING });
const pss = (digest: string, saltLength: number): Algorithm => ({
  digest,
  padding: constants.RSA_PKCS1_PSS_PADDING,
  saltLength,
});
const ecdsa = (digest: string): Algorithm => ({ digest, dsaEncoding: 'ieee-p1363' });
const eddsa: Algorithm = { digest: null };

/** RFC 7518 section 3.1, RFC 8037, RFC 9864. */
const ALGORITHMS: Readonly<Record<AsymmetricAlg, Algorithm>> = {
  RS256: pkcs1('sha256'),
  RS384: pkcs1('sha384'),
  RS512: pkcs1('sha512'),
  PS256: pss('sha256', 32),
  PS384: pss('sha384', 48),
  PS512: pss('sha512', 64),
  ES256: ecdsa('sha256'),
  ES384: ecdsa('sha384'),
  ES512: ecdsa('sha512'),
  EdDSA: eddsa,
  Ed25519: eddsa,
};

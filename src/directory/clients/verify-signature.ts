import { constants, type KeyObject, type VerifyKeyObjectInput, verify } from 'node:crypto';
import { promisify } from 'node:util';
import { BASE64URL } from '../../platform/crypto/jwt-part.rules.ts';
import type { AsymmetricAlg } from './keys.rules.ts';

/**
 * Signatures by public keys that others have given or published. By node:crypto and not by jose, which sends each to another thread
 * and back: that took longer than the verification (docs/decisions/jose.md).
 */
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

/** A key for signatures of one algorithm, which it fits (canVerify). */
export interface VerifyingKey {
  readonly digest: string | null;
  readonly options: VerifyKeyObjectInput;
}

export function verifyingKey(key: KeyObject, alg: AsymmetricAlg): VerifyingKey {
  const { digest, ...options } = ALGORITHMS[alg];
  return { digest, options: { key, ...options } };
}

/** `signed`: header and payload with the dot between them. */
export function isSignedBy({ digest, options }: VerifyingKey, signed: string, signature: string): boolean {
  if (!BASE64URL.test(signature)) return false;
  return verify(digest, Buffer.from(signed, 'latin1'), options, Buffer.from(signature, 'base64url'));
}

/** For a key whose signatures take long: another thread has the work, and the event loop goes on. */
export async function isSignedBySlow(key: VerifyingKey, signed: string, signature: string): Promise<boolean> {
  if (!BASE64URL.test(signature)) return false;
  const { digest, options } = key;
  return verifyAsync(digest, Buffer.from(signed, 'latin1'), options, Buffer.from(signature, 'base64url'));
}

const verifyAsync = promisify(verify) as (
  digest: string | null,
  data: Buffer,
  key: VerifyKeyObjectInput,
  signature: Buffer,
) => Promise<boolean>;

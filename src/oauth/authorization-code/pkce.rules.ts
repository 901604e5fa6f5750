import { hash } from 'node:crypto';

/**
 * RFC 7636 section 4.2: the challenge is base64url(SHA-256(verifier)), always 43 characters. Many base64 encoders add the padding
 * that the RFC omits, so one `=` at the end is accepted and ignored.
 */
export function readChallenge(text: string): string | undefined {
  return /^([A-Za-z0-9_-]{43})=?$/.exec(text)?.[1];
}

/** RFC 7636 section 4.1. The padding of base64 is accepted at the end. */
export function isVerifier(text: string): boolean {
  return text.length >= 43 && text.length <= 128 && /^[A-Za-z0-9._~-]+={0,2}$/.test(text);
}

/** The challenge of a verifier, hashed as it was sent. A malformed verifier gives a value that equals no challenge. */
export function challengeOf(verifier: string): string {
  return isVerifier(verifier) ? hash('sha256', verifier, 'base64url') : 'malformed';
}

type VerifierVerdict = 'proved' | 'wrong' | 'unexpected' | 'none';

/** Both values are SHA-256 hashes, so the timing of a plain comparison reveals nothing about the verifier. */
export function judgeVerifier(expected: string | undefined, presented: string | undefined): VerifierVerdict {
  if (expected === undefined) return presented === undefined ? 'none' : 'unexpected';
  return presented === expected ? 'proved' : 'wrong';
}

import { hash } from 'node:crypto';

/**
 * RFC 7636 section 4.2: the challenge is base64url(SHA-256(verifier)), always 43 characters. Many base64 encoders add the
 * padding that the RFC leaves out, so one `=` behind them is tolerated and does not count.
 */
export function readChallenge(text: string): string | undefined {
  return /^([A-Za-z0-9_-]{43})=?$/.exec(text)?.[1];
}

/** RFC 7636 section 4.1, with the padding of base64 tolerated at the end. */
export function isVerifier(text: string): boolean {
  return text.length >= 43 && text.length <= 128 && /^[A-Za-z0-9._~-]+={0,2}$/.test(text);
}

/** The challenge a verifier proves, hashed as it was sent. A malformed verifier proves none: the answer equals no challenge. */
export function challengeOf(verifier: string): string {
  return isVerifier(verifier) ? hash('sha256', verifier, 'base64url') : 'malformed';
}

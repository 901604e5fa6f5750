import { hash } from 'node:crypto';

/** RFC 7636 section 4.2: the challenge is base64url(SHA-256(verifier)), always 43 characters. */
export function isChallenge(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}

/** RFC 7636 section 4.1. */
export function isVerifier(text: string): boolean {
  return /^[A-Za-z0-9._~-]{43,128}$/.test(text);
}

/** The challenge a verifier proves. A malformed verifier proves none: the answer then equals no challenge. */
export function challengeOf(verifier: string): string {
  return isVerifier(verifier) ? hash('sha256', verifier, 'base64url') : 'malformed';
}

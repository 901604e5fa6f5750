import { createHash, timingSafeEqual } from 'node:crypto';
import type { Random } from '../../platform/deps.ts';

/**
 * Initial access tokens, which let their holder register clients, and registration access tokens, by which a client manages itself
 * (RFC 7591 section 1.2). Each is a prefix that secret scanners recognise, and 256 random bits; the store has only the hash.
 */
const PREFIXES = { initial: 'gia_', registration: 'gra_' } as const;
const SECRET_BYTES = 32;

export function newRegistrationToken(kind: keyof typeof PREFIXES, random: Random): string {
  return PREFIXES[kind] + random.bytes(SECRET_BYTES).toString('base64url');
}

/** Without a salt, because 256 random bits cannot be guessed. */
export function hashRegistrationToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

export function isRegistrationToken(token: string, hash: Uint8Array): boolean {
  return timingSafeEqual(hashRegistrationToken(token), hash);
}

import { createHash } from 'node:crypto';
import type { Random } from '../../platform/deps.ts';

/** A prefix that secret scanners recognise, and 256 random bits. */
const PREFIX = 'gak_';
const SECRET_BYTES = 32;

export function newApiKey(random: Random): string {
  return PREFIX + random.bytes(SECRET_BYTES).toString('base64url');
}

export function isApiKey(text: string): boolean {
  return text.startsWith(PREFIX);
}

/** Without a salt, because 256 random bits cannot be guessed. */
export function hashApiKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

/**
 * The most common and breached passwords, of at least MIN_PASSWORD_LENGTH characters. common-passwords.bin has
 * the first bytes of the SHA-256 of each, in ascending order; scripts/common-passwords.ts writes it. Letters are compared without
 * case. A password that is not in the list is taken for one that is with a probability of 202,752 in 2^40: one in five million.
 *
 * The list takes 1 MB, so it is loaded with the first password that is set (new-passwords.ts), not at the start.
 */
export const ENTRY_BYTES = 5;

export interface CommonPasswords {
  has(password: string): boolean;
}

export function entryOf(password: string): Buffer {
  return hash('sha256', password.normalize('NFC').toLowerCase(), 'buffer').subarray(0, ENTRY_BYTES);
}

export async function loadCommonPasswords(): Promise<CommonPasswords> {
  const entries = await readFile(new URL('./common-passwords.bin', import.meta.url));
  return { has: password => isAmong(entries, entryOf(password)) };
}

function isAmong(entries: Buffer, wanted: Buffer): boolean {
  let [low, high] = [0, entries.length / ENTRY_BYTES];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const start = middle * ENTRY_BYTES;
    const order = wanted.compare(entries, start, start + ENTRY_BYTES);
    if (order === 0) return true;
    if (order < 0) high = middle;
    else low = middle + 1;
  }
  return false;
}

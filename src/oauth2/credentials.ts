import { hash } from 'node:crypto';
import type { Random } from '../deps.ts';

/**
 * The secrets handed out: a prefix that tells what a string is when it turns up in a log or a repository, the time it ends
 * at, and 256 random bits. The store knows them by a key of that time and a hash (without salt, since there is nothing to
 * guess). The time comes first so that what is issued together is stored together: a database keeps its rows in the
 * order of their keys, and a hash alone would scatter every write over the whole of it (docs/decisions/sqlite.md).
 */
export const prefixes = { code: 'gac_', access: 'gat_', refresh: 'grt_' } as const;
type Kind = keyof typeof prefixes;

const PREFIX_LENGTH = 4;
const END_BYTES = 4;
/** Four bytes in base64url. */
const END_LENGTH = 6;
const SECRET_BYTES = 32;

export function newCredential(kind: Kind, expiresAt: number, random: Random): string {
  return credentialOf(kind, expiresAt, random.bytes(SECRET_BYTES));
}

export function credentialOf(kind: Kind, expiresAt: number, secret: Buffer): string {
  const end = Buffer.allocUnsafe(END_BYTES);
  end.writeUInt32BE(expiresAt);
  return prefixes[kind] + end.toString('base64url') + secret.toString('base64url');
}

export function isCredential(kind: Kind, text: string): boolean {
  return text.startsWith(prefixes[kind]);
}

/** What the store knows a credential by. Any text has a key; one that was never handed out has a key that nobody finds. */
export function keyOf(text: string): Buffer {
  const digest = hash('sha256', text, 'buffer');
  const key = Buffer.allocUnsafe(END_BYTES + digest.length);
  const written = key.write(text.slice(PREFIX_LENGTH, PREFIX_LENGTH + END_LENGTH), 'base64url');
  if (written !== END_BYTES) key.fill(0, 0, END_BYTES);
  key.set(digest, END_BYTES);
  return key;
}

/** When the credential behind a key ends. */
export function endOf(key: Uint8Array): number {
  return Buffer.from(key.buffer, key.byteOffset, END_BYTES).readUInt32BE();
}

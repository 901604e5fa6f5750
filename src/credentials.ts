import { hash } from 'node:crypto';
import type { Random } from './deps.ts';

/**
 * The secrets handed out: a prefix that tells what a string is when it turns up in a log or a repository, a stamp, and 256
 * random bits. The store knows them by a key of that stamp and a hash (without salt, since there is nothing to guess).
 *
 * The stamp is the time the credential ends and a running number. It comes first, so that what is issued one after the
 * other is stored side by side: a database keeps its rows in the order of their keys, and a hash alone would scatter every
 * write over the whole of it (docs/decisions/sqlite.md). PostgreSQL divides its tables by it, so that what has ended is
 * dropped with its part of the table (docs/decisions/postgres.md).
 */
export const prefixes = { code: 'gac_', access: 'gat_', refresh: 'grt_', session: 'gse_' } as const;
type Kind = keyof typeof prefixes;

const PREFIX_LENGTH = 4;
const STAMP_BYTES = 6;
/** Six bytes in base64url. */
const STAMP_LENGTH = 8;
const SECRET_BYTES = 32;
const DIGEST_BYTES = 32;
const RUN = 0x10000;

let running = 0;

export function newStamp(expiresAt: number): Buffer {
  const stamp = Buffer.allocUnsafe(STAMP_BYTES);
  running = (running + 1) % RUN;
  stamp.writeUInt32BE(expiresAt);
  stamp.writeUInt16BE(running, 4);
  return stamp;
}

export function newCredential(kind: Kind, expiresAt: number, random: Random): string {
  return credentialOf(kind, newStamp(expiresAt), random.bytes(SECRET_BYTES));
}

export function credentialOf(kind: Kind, stamp: Buffer, secret: Buffer): string {
  return prefixes[kind] + stamp.toString('base64url') + secret.toString('base64url');
}

export function isCredential(kind: Kind, text: string): boolean {
  return text.startsWith(prefixes[kind]);
}

/** What the store knows a credential by. Any text has a key; one that was never handed out has a key that nobody finds. */
export function keyOf(text: string): Buffer {
  const key = Buffer.allocUnsafe(STAMP_BYTES + DIGEST_BYTES);
  const written = key.write(text.slice(PREFIX_LENGTH, PREFIX_LENGTH + STAMP_LENGTH), 'base64url');
  if (written !== STAMP_BYTES) key.fill(0, 0, STAMP_BYTES);
  // A digest as a string takes half the time of one in a buffer of its own.
  key.write(hash('sha256', text, 'latin1'), STAMP_BYTES, 'latin1');
  return key;
}

/** The stamp of the credential behind a key. */
export function stampOf(key: Uint8Array): Buffer {
  return Buffer.from(key.subarray(0, STAMP_BYTES));
}

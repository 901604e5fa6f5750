import { hash } from 'node:crypto';
import type { Random } from '../deps.ts';

/**
 * The secrets handed out: a prefix that tells what a string is when it turns up in a log or a repository, and 256 random
 * bits. Only their hash is stored; without salt, since there is nothing to guess.
 */
export const prefixes = { code: 'gac_', access: 'gat_', refresh: 'grt_' } as const;
type Kind = keyof typeof prefixes;

export function newCredential(kind: Kind, random: Random): string {
  return prefixes[kind] + random.bytes(32).toString('base64url');
}

export function isCredential(kind: Kind, text: string): boolean {
  return text.startsWith(prefixes[kind]);
}

export function hashCredential(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

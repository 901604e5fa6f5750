import { hash } from 'node:crypto';
import type { Random } from '../deps.ts';
import { encodeBase32 } from '../protocol/totp.ts';

/**
 * Recovery codes stand in for a second factor that was lost. Each has 80 random bits, which cannot be guessed from the hash, so the
 * hash needs no secret of the server and survives its replacement. The user is part of it: equal codes have different hashes.
 */
export const RECOVERY_CODES = 10;
const CODE_BYTES = 10;

export function newRecoveryCodes(random: Random): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const symbols = encodeBase32(random.bytes(CODE_BYTES)).toLowerCase();
    return symbols.match(/.{4}/g)?.join('-') ?? symbols;
  });
}

/** Upper case, spaces and missing hyphens are tolerated. */
export function hashRecoveryCode(sub: string, typed: string): string {
  const symbols = typed.replace(/[\s-]/g, '').toLowerCase();
  return hash('sha256', `${sub}\0${symbols}`, 'base64url');
}

import { hash } from 'node:crypto';
import type { Random } from '../../platform/deps.ts';

/**
 * Recovery codes stand in for a second factor that was lost. Each has 120 random bits, which cannot be found from the hash, so a fast
 * hash is enough (OWASP ASVS 5.0, 6.5.2 asks for 112 bits), needs no secret of the server and survives its replacement. The user is
 * part of it: equal codes have different hashes.
 */
const RECOVERY_CODES = 10;
const SYMBOLS = 24;
/** Crockford's base 32: without i, l, o, which look like digits, and u. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

export function newRecoveryCodes(random: Random): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    // 32 divides 256: every symbol is equally likely.
    const symbols = Array.from(random.bytes(SYMBOLS), byte => ALPHABET.charAt(byte % ALPHABET.length)).join('');
    return symbols.match(/.{4}/g)?.join('-') ?? symbols;
  });
}

/** Upper case, spaces, missing hyphens and letters that look like digits are tolerated. */
export function hashRecoveryCode(sub: string, typed: string): string {
  const code = typed.replace(/[\s-]/g, '').toLowerCase().replace(/[il]/g, '1').replaceAll('o', '0');
  return hash('sha256', `${sub}\0${code}`, 'base64url');
}

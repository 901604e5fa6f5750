import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * One-time passwords by time (RFC 6238) as every authenticator app makes them: SHA-1, 30 seconds, 6 digits. HMAC with SHA-1 is not
 * weakened by collisions of SHA-1, and many apps ignore another algorithm that a key names.
 */
const STEP_SECONDS = 30;
const CODE_DIGITS = 6;

/** RFC 6238 section 5.2: one step before and one after, for clocks that differ and people who type slowly. */
const STEPS_AROUND = [0, -1, 1] as const;

export function stepAt(seconds: number): number {
  return Math.floor(seconds / STEP_SECONDS);
}

/** The code of one time step (RFC 4226 section 5.3). */
export function codeAt(key: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', key).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 0x0f;
  const number = digest.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** CODE_DIGITS).padStart(CODE_DIGITS, '0');
}

/**
 * The time step that a typed code belongs to. Undefined: the code is wrong, or its step is not newer than `lastStep`, the last one
 * that was accepted (section 5.2: each code once). All steps are compared, so that the time tells nothing.
 */
export function matchingStep(
  key: Uint8Array,
  typed: string,
  now: number,
  lastStep: number | undefined,
): number | undefined {
  const code = Buffer.from(digitsOf(typed));
  const current = stepAt(now);
  const matching = STEPS_AROUND.map(around => current + around).filter(step => {
    const expected = Buffer.from(codeAt(key, step));
    return code.length === expected.length && timingSafeEqual(code, expected);
  });
  return matching.find(step => lastStep === undefined || step > lastStep);
}

/** Apps show a code as two groups, and people type the space. */
function digitsOf(typed: string): string {
  return typed.replace(/[\s-]/g, '');
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** RFC 4648 section 6, without padding, as authenticator apps take keys. */
export function encodeBase32(bytes: Uint8Array): string {
  let bits = '';
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0');
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map(group => ALPHABET[Number.parseInt(group.padEnd(5, '0'), 2)]).join('');
}

/** Undefined: not base32. Spaces, hyphens, padding and lower case are tolerated. */
export function decodeBase32(text: string): Buffer | undefined {
  const symbols = text.replace(/[\s-]/g, '').replace(/=+$/, '').toUpperCase();
  if (symbols === '' || !/^[A-Z2-7]+$/.test(symbols)) return undefined;
  let bits = '';
  for (const symbol of symbols) bits += ALPHABET.indexOf(symbol).toString(2).padStart(5, '0');
  const bytes = bits.match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map(byte => Number.parseInt(byte, 2)));
}

/** RFC 4226 section 4 demands 128 bits of a key and recommends 160, the length of SHA-1. */
export const KEY_BYTES = 20;
/** Google's first authenticator and others that are still in use made 80 bits. */
export const MIN_KEY_BYTES = 10;
export const MAX_KEY_BYTES = 128;

/** The address that a QR code holds: authenticator apps agree on its form. */
export function keyUri(key: string, issuer: string, account: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${key}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=${CODE_DIGITS}&period=${STEP_SECONDS}`;
}

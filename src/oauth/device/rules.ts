/** RFC 8628: the device authorization grant. A device shows a code, and a person approves it in a browser. */
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** Long enough to fetch a phone and to sign in with a second factor. */
export const DEVICE_CODE_SECONDS = 600;
/** Section 6.1: no vowels, so that no word comes out, and no two letters that look alike. 20^8 codes are 34 bits. */
const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ';
const USER_CODE_LENGTH = 8;
const HALF = USER_CODE_LENGTH / 2;
/** Bytes from here on would make some letters more likely than others. */
const BYTE_LIMIT = 256 - (256 % ALPHABET.length);

/** From random bytes. Undefined: too few of them can be used, so the caller brings others. */
export function userCodeFrom(bytes: Uint8Array): string | undefined {
  const letters = [...bytes].filter(byte => byte < BYTE_LIMIT).map(byte => ALPHABET.charAt(byte % ALPHABET.length));
  return letters.length < USER_CODE_LENGTH ? undefined : letters.slice(0, USER_CODE_LENGTH).join('');
}

export function shownUserCode(code: string): string {
  return `${code.slice(0, HALF)}-${code.slice(HALF)}`;
}

/** Longer texts are no code, however many spaces they have. */
const MAX_TYPED_LENGTH = 32;

/**
 * What a person typed: small letters, spaces and dashes of every kind do not matter. Keyboards of other scripts write full-width letters.
 * Undefined: it cannot be a code.
 */
export function typedUserCode(text: string): string | undefined {
  if (text.length > MAX_TYPED_LENGTH) return undefined;
  const letters = text
    .normalize('NFKC')
    .replace(/[\s\p{Pd}\u2212.]/gu, '')
    .toUpperCase();
  return letters.length === USER_CODE_LENGTH && [...letters].every(letter => ALPHABET.includes(letter))
    ? letters
    : undefined;
}

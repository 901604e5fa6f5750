import { type Unusable, unusable } from './unusable-hash.rules.ts';

/** Hashes by PBKDF2 (RFC 8018) and scrypt (RFC 7914), in the forms in which other systems write them. */
export interface Pbkdf2Hash {
  readonly kind: 'pbkdf2';
  readonly digest: 'sha1' | 'sha256' | 'sha512';
  readonly iterations: number;
  readonly salt: Buffer;
  readonly tag: Buffer;
}

export interface ScryptHash {
  readonly kind: 'scrypt';
  readonly cost: number;
  readonly blockSize: number;
  readonly parallelization: number;
  readonly salt: Buffer;
  readonly tag: Buffer;
}

/**
 * The limits for imported hashes: a login costs at most 128 MiB and about a second. Usual parameters are below: 600,000 iterations
 * (OWASP), 1,200,000 (Django), N = 2^17 and r = 8 (OWASP).
 */
const MAX_ITERATIONS = 2_000_000;
const MAX_SCRYPT_BYTES = 128 * 1024 * 1024;
const MAX_SCRYPT_WORK_BYTES = 512 * 1024 * 1024;
/** A shorter tag than 16 bytes can be hit by chance. */
const TAG_BYTES = { least: 16, most: 64 };
const MAX_SALT_BYTES = 64;

const DIGEST = '(sha1|sha256|sha512)';
const B64 = '([A-Za-z0-9+/]+={0,2})';
const FORMS = {
  /** PHC: `$pbkdf2-sha256$i=600000,l=32$salt$tag`, base64 without padding. Auth0 takes and gives it. */
  phcPbkdf2: new RegExp(`^\\$pbkdf2-${DIGEST}\\$i=(\\d{1,8})(?:,l=\\d{1,3})?\\$${B64}\\$${B64}$`),
  /** passlib: `$pbkdf2-sha256$29000$salt$tag`, with a dot for the plus of base64; without a digest it is SHA-1. */
  passlibPbkdf2: /^\$pbkdf2(?:-(sha256|sha512))?\$(\d{1,8})\$([A-Za-z0-9./]+)\$([A-Za-z0-9./]+)$/,
  /** Django: `pbkdf2_sha256$600000$salt$tag`. The salt is text. */
  djangoPbkdf2: new RegExp(`^pbkdf2_${DIGEST}\\$(\\d{1,8})\\$([^$\\s]+)\\$${B64}$`),
  /** Werkzeug: `pbkdf2:sha256:600000$salt$tag`, the tag in hexadecimal digits. The salt is text. */
  werkzeugPbkdf2: new RegExp(`^pbkdf2:${DIGEST}:(\\d{1,8})\\$([^$\\s]+)\\$((?:[0-9a-f]{2})+)$`),
  /** PHC, also of passlib: `$scrypt$ln=16,r=8,p=1$salt$tag`. */
  phcScrypt: new RegExp(`^\\$scrypt\\$ln=(\\d{1,2}),r=(\\d{1,4}),p=(\\d{1,3})\\$${B64}\\$${B64}$`),
  /** Werkzeug: `scrypt:32768:8:1$salt$tag`, the tag in hexadecimal digits. The salt is text. */
  werkzeugScrypt: /^scrypt:(\d{1,8}):(\d{1,4}):(\d{1,3})\$([^$\s]+)\$((?:[0-9a-f]{2})+)$/,
  /** Django: `scrypt$16384$salt$8$1$tag`. The salt is text. */
  djangoScrypt: new RegExp(`^scrypt\\$(\\d{1,8})\\$([^$\\s]+)\\$(\\d{1,4})\\$(\\d{1,3})\\$${B64}$`),
};

const base64 = (text: string) => Buffer.from(text, 'base64');
const dotted = (text: string) => base64(text.replaceAll('.', '+'));
const hex = (text: string) => Buffer.from(text, 'hex');
const utf8 = (text: string) => Buffer.from(text, 'utf8');

/** Undefined: neither PBKDF2 nor scrypt. */
export function parseDerivedKeyHash(text: string): Pbkdf2Hash | ScryptHash | Unusable | undefined {
  return parsePbkdf2(text) ?? parseScrypt(text);
}

function parsePbkdf2(text: string): Pbkdf2Hash | Unusable | undefined {
  const readers = [
    [FORMS.phcPbkdf2, base64, base64],
    [FORMS.passlibPbkdf2, dotted, dotted],
    [FORMS.djangoPbkdf2, utf8, base64],
    [FORMS.werkzeugPbkdf2, utf8, hex],
  ] as const;
  for (const [form, toSalt, toTag] of readers) {
    const [, digest = 'sha1', iterations, salt = '', tag = ''] = form.exec(text) ?? [];
    if (iterations === undefined) continue;
    const hash = {
      kind: 'pbkdf2',
      digest: digest as Pbkdf2Hash['digest'],
      iterations: Number(iterations),
      salt: toSalt(salt),
      tag: toTag(tag),
    } as const;
    if (!hasUsualSizes(hash))
      return unusable('must be a PBKDF2 hash with a salt of at most 64 bytes and a tag of 16 to 64');
    const affordable = hash.iterations >= 1 && hash.iterations <= MAX_ITERATIONS;
    return affordable ? hash : unusable(`must be a PBKDF2 hash with 1 to ${MAX_ITERATIONS} iterations`);
  }
  return undefined;
}

function parseScrypt(text: string): ScryptHash | Unusable | undefined {
  const phc = FORMS.phcScrypt.exec(text);
  if (phc) {
    const [, log = '', r, p, salt = '', tag = ''] = phc;
    return scryptHash(2 ** Number(log), r, p, base64(salt), base64(tag));
  }
  const werkzeug = FORMS.werkzeugScrypt.exec(text);
  if (werkzeug) {
    const [, cost, r, p, salt = '', tag = ''] = werkzeug;
    return scryptHash(Number(cost), r, p, utf8(salt), hex(tag));
  }
  const django = FORMS.djangoScrypt.exec(text);
  if (!django) return undefined;
  const [, cost, salt = '', r, p, tag = ''] = django;
  return scryptHash(Number(cost), r, p, utf8(salt), base64(tag));
}

function scryptHash(
  cost: number,
  r: string | undefined,
  p: string | undefined,
  salt: Buffer,
  tag: Buffer,
): ScryptHash | Unusable {
  const hash: ScryptHash = { kind: 'scrypt', cost, blockSize: Number(r), parallelization: Number(p), salt, tag };
  if (!hasUsualSizes(hash))
    return unusable('must be a scrypt hash with a salt of at most 64 bytes and a tag of 16 to 64');
  return isAffordable(hash)
    ? hash
    : unusable('must be a scrypt hash whose N is a power of 2, of at most 128 MiB (128 × N × r), and 512 MiB times p');
}

function isAffordable({ cost, blockSize, parallelization }: ScryptHash): boolean {
  const bytes = 128 * cost * blockSize;
  const isPowerOfTwo = cost > 1 && Number.isInteger(Math.log2(cost));
  const hasBlocks = blockSize >= 1 && parallelization >= 1;
  return isPowerOfTwo && hasBlocks && bytes <= MAX_SCRYPT_BYTES && bytes * parallelization <= MAX_SCRYPT_WORK_BYTES;
}

/** The memory that node:crypto may use for this hash. */
export function scryptMemory({ cost, blockSize, parallelization }: ScryptHash): number {
  return 128 * blockSize * (cost + parallelization + 2);
}

function hasUsualSizes({ salt, tag }: Pick<Pbkdf2Hash, 'salt' | 'tag'>): boolean {
  return salt.length <= MAX_SALT_BYTES && tag.length >= TAG_BYTES.least && tag.length <= TAG_BYTES.most;
}

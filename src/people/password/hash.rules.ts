import type { Argon2Algorithm, Argon2Parameters } from 'node:crypto';
import { type Pbkdf2Hash, parseDerivedKeyHash, type ScryptHash } from './derived-key-hash.rules.ts';
import { type Unusable, unusable } from './unusable-hash.rules.ts';

/**
 * The formats of a stored password: Argon2 in the PHC string format, which includes Gatehouse's own hashes; bcrypt, PBKDF2 and scrypt
 * for users that were imported from other systems. This file only recognises a format; passwords.ts computes.
 */
export type PasswordHash = Argon2Hash | BcryptHash | Pbkdf2Hash | ScryptHash;

export interface BcryptHash {
  readonly kind: 'bcrypt';
  /** `$2b$…`, without what another system wrote before it. */
  readonly text: string;
  /** Of the SHA-256 of the password in hexadecimal digits (Django), because bcrypt reads 72 bytes at most. */
  readonly ofSha256: boolean;
}

export interface Argon2Hash {
  readonly kind: 'argon2';
  readonly algorithm: Argon2Algorithm;
  readonly parameters: Pick<Argon2Parameters, 'nonce' | 'memory' | 'passes' | 'parallelism'>;
  readonly tag: Buffer;
}

/**
 * The limits for the parameters of an imported hash: one login costs at most 128 MiB, and about twenty times the work of
 * Gatehouse's own hash. Usual parameters are below: 64 MiB in 3 or 4 passes (argon2-cffi, PHP), bcrypt with a cost of 10 to 12.
 */
const MAX_MEMORY_KIB = 128 * 1024;
const MAX_PASSES = 16;
const MAX_WORK_KIB = 512 * 1024;
const MAX_LANES = 16;
const MAX_BCRYPT_COST = 14;
/** RFC 9106 section 3.1: a salt of 8 bytes or more. A shorter tag than 16 bytes can be hit by chance. */
const SALT_BYTES = { least: 8, most: 64 };
const TAG_BYTES = { least: 16, most: 64 };

const ARGON2 = /^\$(argon2(?:id|i|d))\$v=19\$m=(\d{1,8}),t=(\d{1,4}),p=(\d{1,3})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;
const BCRYPT = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;

export type ParsedHash = PasswordHash | Unusable;

/** What frameworks write before a hash whose form says what it is: Django, Spring Security, LDAP (RFC 2307). */
const LABEL = /^(?:bcrypt\$|argon2(?=\$)|\{(?:bcrypt|argon2|scrypt|pbkdf2|crypt)\})/i;
const OF_SHA256 = /^bcrypt_sha256\$/;

export function parsePasswordHash(stored: string): ParsedHash {
  const ofSha256 = OF_SHA256.test(stored);
  const text = stored.replace(ofSha256 ? OF_SHA256 : LABEL, '');
  const cost = Number(BCRYPT.exec(text)?.[1]);
  if (!Number.isNaN(cost)) {
    return cost >= 4 && cost <= MAX_BCRYPT_COST
      ? { kind: 'bcrypt', text, ofSha256 }
      : unusable(`must be a bcrypt hash with a cost from 4 to ${MAX_BCRYPT_COST}`);
  }
  const argon2 = ARGON2.exec(text);
  return argon2 ? parseArgon2(argon2) : (parseDerivedKeyHash(text) ?? unusable(FORMS));
}

const FORMS =
  'must be a hash by Argon2 ($argon2id$v=19$…, also argon2i and argon2d), bcrypt ($2a$, $2b$, $2y$), PBKDF2 ($pbkdf2-sha256$…, pbkdf2_sha256$…, pbkdf2:sha256:…) or scrypt ($scrypt$ln=…, scrypt:…, scrypt$…); others are not taken';

function parseArgon2([, algorithm, memory, passes, lanes, salt = '', tag = '']: RegExpExecArray): ParsedHash {
  const parameters = {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(lanes),
    nonce: Buffer.from(salt, 'base64'),
  };
  const hash: Argon2Hash = {
    kind: 'argon2',
    algorithm: algorithm as Argon2Algorithm,
    parameters,
    tag: Buffer.from(tag, 'base64'),
  };
  if (!isWithin(parameters.nonce.length, SALT_BYTES) || !isWithin(hash.tag.length, TAG_BYTES)) {
    return unusable('must be an Argon2 hash with a salt of 8 to 64 bytes and a tag of 16 to 64 bytes');
  }
  return isAffordable(parameters)
    ? hash
    : unusable(
        `must be an Argon2 hash of at most ${MAX_MEMORY_KIB} KiB, ${MAX_PASSES} passes and ${MAX_LANES} lanes, with memory times passes at most ${MAX_WORK_KIB} KiB`,
      );
}

function isAffordable({ memory, passes, parallelism }: Argon2Hash['parameters']): boolean {
  return (
    isWithin(parallelism, { least: 1, most: MAX_LANES }) &&
    isWithin(passes, { least: 1, most: MAX_PASSES }) &&
    // RFC 9106 section 3.1: at least 8 KiB for each lane.
    isWithin(memory, { least: 8 * parallelism, most: MAX_MEMORY_KIB }) &&
    memory * passes <= MAX_WORK_KIB
  );
}

function isWithin(value: number, { least, most }: { readonly least: number; readonly most: number }): boolean {
  return value >= least && value <= most;
}

/** Hashes as crypt(3), PHC, LDAP (RFC 2307) and frameworks write them. A passphrase contains spaces or begins differently. */
const WRITTEN_AS_HASH = [
  /^\$(2[abxy]?|argon2(id|i|d)|[1567y]|gy|sha1|md5|apr1|[PHS]|scrypt|bcrypt[\w-]*|pbkdf2[\w-]*)\$\S+$/,
  /^\{(s?sha[\d-]*|s?md5|crypt|argon2(id|i|d)?|bcrypt|scrypt|pbkdf2[\w-]*|[\w-]+[-.]crypt)\}\S+$/i,
  /^(pbkdf2|scrypt|argon2|bcrypt)[\w:-]*\$\S+$/,
];

/** Whether a text in the place of a password is a hash, in any format. Stored as a password, it would lock the user out. */
export function looksLikeHash(text: string): boolean {
  return WRITTEN_AS_HASH.some(form => form.test(text));
}

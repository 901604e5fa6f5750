import { hash } from 'node:crypto';
import type { Random } from '../deps.ts';

/**
 * The credentials that the server issues: codes, access tokens, refresh tokens, session ids, device codes and the auth_req_id of backchannel requests. Each is a prefix (so that secret
 * scanners recognise one in a log or a repository), a stamp, and 256 random bits. The store never holds the credential itself: it
 * finds it by a key of the stamp and a SHA-256 hash. The hash has no salt, because 256 random bits cannot be guessed.
 *
 * The stamp is the expiry time and a sequence number. It comes first in the key, so that credentials issued one after the other
 * are stored side by side: databases keep rows in the order of their keys, and a plain hash would spread the writes over the whole
 * table (docs/decisions/sqlite.md). PostgreSQL partitions its tables by it and drops a partition when everything in it has expired
 * (docs/decisions/postgres.md).
 *
 * Where the application is spread over several parts of a cluster, the stamp has one byte more: the part in which the store has the
 * credential and everything else of its token family (docs/decisions/citus.md). So a credential says itself where it is found.
 */
const prefixes = {
  code: 'gac_',
  access: 'gat_',
  refresh: 'grt_',
  session: 'gse_',
  device: 'gdc_',
  backchannel: 'gar_',
} as const;
type Kind = keyof typeof prefixes;

const PREFIX_LENGTH = 4;
const STAMP_BYTES = 6;
/** Six bytes in base64url. */
const STAMP_LENGTH = 8;
const SECRET_BYTES = 32;
const DIGEST_BYTES = 32;
const SEQUENCE_MODULUS = 0x10000;
/** The prefix, the stamp, and the secret in base64url. */
const CREDENTIAL_LENGTH = PREFIX_LENGTH + STAMP_LENGTH + 43;
/** A stamp that ends with a part: seven bytes, ten characters in base64url. */
const STAMP_WITH_PART_BYTES = STAMP_BYTES + 1;
const STAMP_WITH_PART_LENGTH = 10;
const CREDENTIAL_WITH_PART_LENGTH = CREDENTIAL_LENGTH + STAMP_WITH_PART_LENGTH - STAMP_LENGTH;

let sequence = 0;

/** `time`: the expiry of a credential, or the start of a token family. `part`: of a spread application, one byte. */
export function newStamp(time: number, part?: number): Buffer {
  const stamp = Buffer.allocUnsafe(part === undefined ? STAMP_BYTES : STAMP_WITH_PART_BYTES);
  sequence = (sequence + 1) % SEQUENCE_MODULUS;
  stamp.writeUInt32BE(time);
  stamp.writeUInt16BE(sequence, 4);
  if (part !== undefined) stamp.writeUInt8(part, STAMP_BYTES);
  return stamp;
}

export function newCredential(kind: Kind, expiresAt: number, random: Random, part?: number): string {
  return credentialOf(kind, newStamp(expiresAt, part), random.bytes(SECRET_BYTES).toString('base64url'));
}

/** `secret` in base64url. */
export function credentialOf(kind: Kind, stamp: Buffer, secret: string): string {
  return prefixes[kind] + stamp.toString('base64url') + secret;
}

export function isCredential(kind: Kind, text: string): boolean {
  return text.startsWith(prefixes[kind]);
}

/**
 * Between a credential and its thumbprint. Allowed in the Authorization header (RFC 6750 section 2.1) and in URLs. No JWT contains
 * it.
 */
const BINDING_MARK = '~';

/**
 * A credential that only the holder of a key can use names the thumbprint of the key (RFC 7638) itself, or after a second mark that of a
 * certificate (RFC 8705). The store finds a credential by the hash of all of it, so that nobody can change or leave out this part, and no
 * row has a column for it.
 */
export function bindCredential(credential: string, thumbprint: string): string {
  return credential + BINDING_MARK + thumbprint;
}

/** In place of a thumbprint, in a code: whether it can be redeemed depends on its client, which is read before. */
export const CLIENT_FIRST = 'client';

/** Whether a credential names a thumbprint, or `CLIENT_FIRST`. */
export function isBound(credential: string): boolean {
  return credential.includes(BINDING_MARK);
}

/** The thumbprint of the key that a credential is bound to, with a mark in front if it is of a certificate; empty: any key. Undefined: none. */
export function thumbprintIn(credential: string): string | undefined {
  const end = hasPart(credential) ? CREDENTIAL_WITH_PART_LENGTH : CREDENTIAL_LENGTH;
  if (credential.length <= end || credential[end] !== BINDING_MARK) return undefined;
  const thumbprint = credential.slice(end + 1);
  return /^(~?[\w-]{43})?$/.test(thumbprint) ? thumbprint : undefined;
}

/** By the place of its end or of the mark, two characters later than without a part: nothing else in a credential is the mark. */
function hasPart(text: string): boolean {
  return text.length === CREDENTIAL_WITH_PART_LENGTH || text[CREDENTIAL_WITH_PART_LENGTH] === BINDING_MARK;
}

/** The key under which the store has a credential. Every text has a key; that of a text which was never issued is not in the store. */
export function keyOf(text: string): Buffer {
  const [bytes, length] = hasPart(text) ? [STAMP_WITH_PART_BYTES, STAMP_WITH_PART_LENGTH] : [STAMP_BYTES, STAMP_LENGTH];
  const key = Buffer.allocUnsafe(bytes + DIGEST_BYTES);
  const written = key.write(text.slice(PREFIX_LENGTH, PREFIX_LENGTH + length), 'base64url');
  if (written !== bytes) key.fill(0, 0, bytes);
  // Asking `hash` for a string takes half the time of a Buffer.
  key.write(hash('sha256', text, 'latin1'), bytes, 'latin1');
  return key;
}

/**
 * The key of an identifier that is good once until `end` (`useOnce` of the store). Two kinds, applications or
 * clients never share one: JSON keeps the parts apart. The stamp is that of a credential, without a sequence.
 */
export function onceKey(
  kind:
    | 'authorization'
    | 'backchannel request'
    | 'client assertion'
    | 'DPoP proof'
    | 'identity assertion'
    | 'proposed act'
    | 'provider answer'
    | 'SAML assertion'
    | 'SAML logout request',
  parts: readonly string[],
  end: number,
): Buffer {
  const key = Buffer.alloc(STAMP_BYTES + DIGEST_BYTES);
  key.writeUInt32BE(end);
  key.write(hash('sha256', JSON.stringify([kind, ...parts]), 'latin1'), STAMP_BYTES, 'latin1');
  return key;
}

/** The stamp of the credential that has this key. */
export function stampOf(key: Uint8Array): Buffer {
  return Buffer.from(key.subarray(0, key.length - DIGEST_BYTES));
}

/** When the credential with this key ends. Undefined: no credential has a key as short as this. */
export function endIn(key: Uint8Array): number | undefined {
  return key.length < STAMP_BYTES + DIGEST_BYTES ? undefined : stampOf(key).readUInt32BE();
}

/** When a text of the form of a credential ends, whether it was issued or not. Undefined: it has another form. */
export function statedEnd(kind: Kind, text: string): number | undefined {
  const [own = ''] = text.split(BINDING_MARK, 1);
  const length = hasPart(text) ? CREDENTIAL_WITH_PART_LENGTH : CREDENTIAL_LENGTH;
  return isCredential(kind, own) && own.length === length && /^[\w-]+$/.test(own) ? endIn(keyOf(text)) : undefined;
}

/** The part of a spread application in which the store has the credential with this key. Undefined: the application is not spread. */
export function partIn(key: Uint8Array): number | undefined {
  return key.length > STAMP_BYTES + DIGEST_BYTES ? key[STAMP_BYTES] : undefined;
}

import { constants, createDecipheriv, type KeyObject, privateDecrypt } from 'node:crypto';
import { ENCRYPTION, ENCRYPTION_11, SIGNATURE } from './names.rules.ts';
import { bytesOf, own } from './signature.rules.ts';
import { attribute, childrenNamed, onlyChild, type XmlElement } from './xml.rules.ts';

/**
 * XML Encryption 1.1 of an assertion: the key with RSA-OAEP, the text with AES, or with Triple DES as pysaml2 does unless it is told otherwise.
 * PKCS #1 1.5 is not understood.
 */
export type Decrypted =
  | { readonly kind: 'decrypted'; readonly text: string }
  | { readonly kind: 'refused'; readonly fault: DecryptionFault };

export type DecryptionFault =
  | 'encryptionForm'
  | 'encryptionAlgorithm'
  /** CBC says nothing about who made the text: whoever can send others and see what happens can decrypt it. */
  | 'encryptionUnauthenticated'
  | 'decryption';

interface Cipher {
  readonly name: `aes-${128 | 192 | 256}-${'gcm' | 'cbc'}` | 'des-ede3-cbc';
  readonly keyBytes: number;
  readonly mode: 'gcm' | 'cbc';
  /** Of AES unless it says so. */
  readonly blockBytes?: number;
}

const CIPHERS: Readonly<Record<string, Cipher>> = {
  [`${ENCRYPTION_11}aes128-gcm`]: { name: 'aes-128-gcm', keyBytes: 16, mode: 'gcm' },
  [`${ENCRYPTION_11}aes192-gcm`]: { name: 'aes-192-gcm', keyBytes: 24, mode: 'gcm' },
  [`${ENCRYPTION_11}aes256-gcm`]: { name: 'aes-256-gcm', keyBytes: 32, mode: 'gcm' },
  [`${ENCRYPTION}aes128-cbc`]: { name: 'aes-128-cbc', keyBytes: 16, mode: 'cbc' },
  [`${ENCRYPTION}aes192-cbc`]: { name: 'aes-192-cbc', keyBytes: 24, mode: 'cbc' },
  [`${ENCRYPTION}aes256-cbc`]: { name: 'aes-256-cbc', keyBytes: 32, mode: 'cbc' },
  [`${ENCRYPTION}tripledes-cbc`]: { name: 'des-ede3-cbc', keyBytes: 24, mode: 'cbc', blockBytes: 8 },
};

/** As digest of OAEP a hash function needs no resistance to collisions (RFC 8017 section 7.1). */
const OAEP_HASHES: Readonly<Record<string, string>> = {
  'http://www.w3.org/2000/09/xmldsig#sha1': 'sha1',
  'http://www.w3.org/2001/04/xmlenc#sha256': 'sha256',
  'http://www.w3.org/2001/04/xmlenc#sha512': 'sha512',
};
const MASKS: Readonly<Record<string, string>> = {
  [`${ENCRYPTION_11}mgf1sha1`]: 'sha1',
  [`${ENCRYPTION_11}mgf1sha256`]: 'sha256',
  [`${ENCRYPTION_11}mgf1sha512`]: 'sha512',
};

/** Each is tried with each of our keys, before anything is known about who sent it. */
const MAX_ENCRYPTED_KEYS = 2;
const GCM_NONCE_BYTES = 12;
const BLOCK_BYTES = 16;

const REFUSED = (fault: DecryptionFault): Decrypted => ({ kind: 'refused', fault });

/** `isAuthenticated`: a signature that holds covers the encrypted text. */
export function decryptElement(container: XmlElement, keys: readonly KeyObject[], isAuthenticated: boolean): Decrypted {
  const data = onlyChild(container, ENCRYPTION, 'EncryptedData');
  const text = data && cipherValue(data);
  if (!data || !text) return REFUSED('encryptionForm');
  const cipher = own(CIPHERS, methodOf(data));
  if (!cipher) return REFUSED('encryptionAlgorithm');
  if (cipher.mode === 'cbc' && !isAuthenticated) return REFUSED('encryptionUnauthenticated');
  const inKeyInfo = childrenNamed(data, SIGNATURE, 'KeyInfo').flatMap(each =>
    childrenNamed(each, ENCRYPTION, 'EncryptedKey'),
  );
  const wrapped = [...inKeyInfo, ...childrenNamed(container, ENCRYPTION, 'EncryptedKey')].slice(0, MAX_ENCRYPTED_KEYS);
  if (wrapped.length === 0) return REFUSED('encryptionForm');
  const hashes = wrapped.flatMap(each => oaepHashOf(each) ?? []);
  if (hashes.length < wrapped.length) return REFUSED('encryptionAlgorithm');
  for (const [index, each] of wrapped.entries()) {
    const value = cipherValue(each);
    for (const key of keys) {
      const secret = value && unwrap(key, hashes[index] ?? '', value);
      const plain = secret?.length === cipher.keyBytes ? decipher(cipher, secret, text) : undefined;
      if (plain !== undefined) return { kind: 'decrypted', text: plain };
    }
  }
  return REFUSED('decryption');
}

function cipherValue(element: XmlElement): Buffer | undefined {
  const data = onlyChild(element, ENCRYPTION, 'CipherData');
  return data && bytesOf(onlyChild(data, ENCRYPTION, 'CipherValue'));
}

function methodOf(element: XmlElement): string | undefined {
  const method = onlyChild(element, ENCRYPTION, 'EncryptionMethod');
  return method && attribute(method, 'Algorithm');
}

/** OpenSSL takes one hash for the digest and the mask; providers that use two are not understood. */
function oaepHashOf(wrapped: XmlElement): string | undefined {
  const method = onlyChild(wrapped, ENCRYPTION, 'EncryptionMethod');
  if (!method) return undefined;
  const digest = onlyChild(method, SIGNATURE, 'DigestMethod');
  const hash = digest ? own(OAEP_HASHES, attribute(digest, 'Algorithm')) : 'sha1';
  if (attribute(method, 'Algorithm') === `${ENCRYPTION}rsa-oaep-mgf1p`) return hash === 'sha1' ? hash : undefined;
  if (attribute(method, 'Algorithm') !== `${ENCRYPTION_11}rsa-oaep`) return undefined;
  const mask = onlyChild(method, ENCRYPTION_11, 'MGF');
  const maskHash = mask ? own(MASKS, attribute(mask, 'Algorithm')) : 'sha1';
  return maskHash === hash ? hash : undefined;
}

function unwrap(key: KeyObject, oaepHash: string, value: Buffer): Buffer | undefined {
  try {
    return privateDecrypt({ key, oaepHash, padding: constants.RSA_PKCS1_OAEP_PADDING }, value);
  } catch {
    return undefined;
  }
}

function decipher(cipher: Cipher, secret: Buffer, text: Buffer): string | undefined {
  try {
    const plain = cipher.mode === 'gcm' ? openGcm(cipher.name, secret, text) : openCbc(cipher, secret, text);
    return new TextDecoder('utf-8', { fatal: true }).decode(plain);
  } catch {
    return undefined;
  }
}

function openGcm(name: string, secret: Buffer, text: Buffer): Buffer {
  const nonce = text.subarray(0, GCM_NONCE_BYTES);
  const decipher = createDecipheriv(name as 'aes-256-gcm', secret, nonce, { authTagLength: BLOCK_BYTES });
  decipher.setAuthTag(text.subarray(-BLOCK_BYTES));
  return Buffer.concat([decipher.update(text.subarray(GCM_NONCE_BYTES, -BLOCK_BYTES)), decipher.final()]);
}

/** Section 5.2 of XML Encryption: the last byte is the length of the padding, the others are anything. */
function openCbc({ name, blockBytes = BLOCK_BYTES }: Cipher, secret: Buffer, text: Buffer): Buffer {
  const decipher = createDecipheriv(name, secret, text.subarray(0, blockBytes)).setAutoPadding(false);
  const plain = Buffer.concat([decipher.update(text.subarray(blockBytes)), decipher.final()]);
  const padding = plain.at(-1) ?? 0;
  if (padding < 1 || padding > blockBytes) throw new Error('padding');
  return plain.subarray(0, -padding);
}

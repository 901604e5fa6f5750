import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { CompactEncrypt, compactDecrypt, decodeProtectedHeader, importJWK, type JWK } from 'jose';

/** A key that others encrypt to. */
export interface EncryptionPair {
  readonly alg: string;
  readonly privateKey: KeyObject;
  readonly publicJwk: Record<string, unknown> & { readonly kid: string };
}

const made = new Map<string, EncryptionPair>();

/** The same pair for the same name: RSA keys take time. */
export function anEncryptionPair(kind: 'RSA' | 'P-256' | 'X25519', name: string = kind): EncryptionPair {
  const known = made.get(`${kind} ${name}`);
  if (known) return known;
  const { privateKey, publicKey } = generated(kind);
  const alg = kind === 'RSA' ? 'RSA-OAEP-256' : 'ECDH-ES';
  const publicJwk = { ...publicKey.export({ format: 'jwk' }), kid: `enc-${name}`, use: 'enc' };
  const pair = { alg, privateKey, publicJwk };
  made.set(`${kind} ${name}`, pair);
  return pair;
}

function generated(kind: string) {
  if (kind === 'RSA') return generateKeyPairSync('rsa', { modulusLength: 2048 });
  return kind === 'X25519' ? generateKeyPairSync('x25519') : generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

/** What is inside of an encrypted answer, and the header of it. */
export async function decrypted(jwe: unknown, { privateKey }: EncryptionPair) {
  assert(typeof jwe === 'string' && jwe.split('.').length === 5, `not encrypted: ${jwe}`);
  const { plaintext } = await compactDecrypt(jwe, privateKey);
  return { text: Buffer.from(plaintext).toString(), header: decodeProtectedHeader(jwe) };
}

/** As a client encrypts to a key of the application. */
export async function encryptedTo(
  jwk: JWK,
  text: string,
  header: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const { alg = '', kid } = jwk;
  const all = { alg, enc: 'A128CBC-HS256', kid, cty: 'JWT', ...header };
  return new CompactEncrypt(Buffer.from(text))
    .setProtectedHeader(JSON.parse(JSON.stringify(all)))
    .encrypt(await importJWK(jwk, all.alg));
}

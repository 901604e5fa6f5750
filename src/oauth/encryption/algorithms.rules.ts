/**
 * How a content key is encrypted to a public key (RFC 7518 section 4.1). Never RSA1_5, whose padding tells an attacker about the text
 * (RFC 8725 section 3.2), and never a shared secret (`dir`, `A128KW`, `PBES2`).
 */
export const keyEncryptionAlgs = ['RSA-OAEP-256', 'RSA-OAEP', 'ECDH-ES', 'ECDH-ES+A128KW', 'ECDH-ES+A256KW'] as const;
export type KeyEncryptionAlg = (typeof keyEncryptionAlgs)[number];

/** How the text is encrypted with it (RFC 7518 section 5.1). */
export const contentEncryptions = ['A128CBC-HS256', 'A256CBC-HS512', 'A128GCM', 'A256GCM'] as const;
export type ContentEncryption = (typeof contentEncryptions)[number];

/** Where a client names an algorithm and no encryption (OpenID Connect Dynamic Client Registration section 2). */
export const DEFAULT_CONTENT_ENCRYPTION: ContentEncryption = 'A128CBC-HS256';

export function isKeyEncryptionAlg(alg: string): alg is KeyEncryptionAlg {
  return (keyEncryptionAlgs as readonly string[]).includes(alg);
}

export function isRsa(alg: string): boolean {
  return alg.startsWith('RSA');
}

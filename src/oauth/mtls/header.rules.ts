/** The certificate in the header of a trusted proxy: PEM with percent-encoding, or the byte sequence of RFC 9440 section 2.1. */

/** A certificate with an RSA key of 8192 bits, in PEM with percent-encoding, takes half of it. */
const MAX_HEADER_LENGTH = 16_384;
const BYTE_SEQUENCE = /^:([A-Za-z0-9+/]+={0,2}):$/;
const PEM = /^-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----\s*$/;

/** The certificate in DER, not parsed yet. node:http joins headers of the same name by commas, which neither form has. */
export function readHeader(text: string): Buffer | 'several' | 'malformed' {
  if (text.length > MAX_HEADER_LENGTH) return 'malformed';
  if (text.includes(',')) return 'several';
  const [, sequence] = BYTE_SEQUENCE.exec(text.trim()) ?? [];
  const base64 = sequence ?? PEM.exec(decoded(text))?.[1]?.replace(/\s/g, '');
  return base64 ? Buffer.from(base64, 'base64') : 'malformed';
}

/** `+` stays: it is a character of base64, and no proxy writes a space so. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

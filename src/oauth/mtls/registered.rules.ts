import type { ClientKeySet } from '../../directory/clients/keys.rules.ts';

/** The certificates of a client with self_signed_tls_client_auth (RFC 8705 section 2.2.2): the first `x5c` of each key, in DER. */
export function certificatesIn({ keys }: ClientKeySet): readonly Buffer[] {
  return keys.flatMap(({ x5c }) => {
    const first: unknown = Array.isArray(x5c) ? x5c[0] : undefined;
    return typeof first === 'string' && BASE64.test(first) ? [Buffer.from(first, 'base64')] : [];
  });
}

/** RFC 7517 section 4.7: base64, not base64url. */
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

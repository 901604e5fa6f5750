import { createCipheriv, createDecipheriv, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Client } from '../../directory/clients/rules.ts';

export const subjectTypes = ['public', 'pairwise'] as const;

type Sectored = Pick<Client, 'subject_type' | 'sector_identifier_uri' | 'redirect_uris'>;

export function isPairwise<C extends Pick<Client, 'subject_type'>>(client: C | undefined): client is C {
  return client?.subject_type === 'pairwise';
}

/** The host that clients have in common which see the same subjects (OIDC Core section 8.1). Undefined: there is not one. */
export function sectorOf({ sector_identifier_uri: uri, redirect_uris }: Sectored): string | undefined {
  if (uri !== undefined) return hostOf(uri);
  const [host, ...others] = new Set(redirect_uris.map(hostOf));
  // A loopback address is everybody's.
  return host !== undefined && others.length === 0 && !LOOPBACK.test(host) ? host : undefined;
}

/** The name without the port. Only http and https lead to the host: after a scheme of one's own anybody can write any. */
function hostOf(uri: string): string | undefined {
  const url = URL.parse(uri);
  return url && /^https?:$/.test(url.protocol) ? url.hostname : undefined;
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

export function pairwiseFault(client: Sectored): string | undefined {
  if (!isPairwise(client) || sectorOf(client) !== undefined) return undefined;
  return 'pairwise needs sector_identifier_uri where the redirect_uris have not one host in common (OpenID Connect Core section 8.1)';
}

/** Their tokens go to whoever has the redirect URI. What another grant gives proves no address. */
const GRANTS_OF_REDIRECT_URI: readonly string[] = ['authorization_code', 'refresh_token'];
/** By them the client proves that the keys at its `jwks_uri` are its own. */
const METHODS_OF_KEYS: readonly string[] = ['private_key_jwt', 'self_signed_tls_client_auth'];

type SelfRegistered = Sectored & Pick<Client, 'grant_types' | 'token_endpoint_auth_method' | 'jwks_uri'>;

export function provesRedirectUris({ grant_types }: Pick<Client, 'grant_types'>): boolean {
  return grant_types.every(grant => GRANTS_OF_REDIRECT_URI.includes(grant));
}

/**
 * What a client that registers itself lacks to prove its sector. Redirect URIs can be copied, also from the document of the sector, so with
 * the device grant or CIBA the document has to list the client's `jwks_uri` (OpenID Connect CIBA Core section 4).
 */
export function unprovedSectorFault(client: SelfRegistered): string | undefined {
  if (!isPairwise(client) || provesRedirectUris(client)) return undefined;
  const { sector_identifier_uri: sector, jwks_uri: keys, token_endpoint_auth_method: method } = client;
  if (sector !== undefined && keys !== undefined && METHODS_OF_KEYS.includes(method)) return undefined;
  return `pairwise with other grants than ${GRANTS_OF_REDIRECT_URI.join(' and ')} needs ${METHODS_OF_KEYS.join(' or ')}, and a sector_identifier_uri whose document lists the jwks_uri`;
}

export interface SectorKeys {
  readonly mac: Buffer;
  readonly cipher: Buffer;
}

export function sectorKeys(salt: Uint8Array, sector: string): SectorKeys {
  const derived = Buffer.from(hkdfSync('sha256', salt, Buffer.alloc(0), `pairwise\0${sector}`, 64));
  return { mac: derived.subarray(0, 32), cipher: derived.subarray(32) };
}

const IV_BYTES = 16;
const ALGORITHM = 'aes-256-ctr';

/**
 * Encrypted with an IV that the text itself decides (the construction of RFC 5297): always the same for a sector, and only this server gets
 * back from it. So a hint of the client finds its user without a table of all subjects.
 */
export function toPairwise(keys: SectorKeys, text: string): string {
  const iv = ivOf(keys, text);
  const cipher = createCipheriv(ALGORITHM, keys.cipher, iv);
  return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final()]).toString('base64url');
}

/** Undefined: it was not made with these keys. */
export function fromPairwise(keys: SectorKeys, shown: string): string | undefined {
  const bytes = Buffer.from(shown, 'base64url');
  const iv = bytes.subarray(0, IV_BYTES);
  if (iv.length < IV_BYTES) return undefined;
  const decipher = createDecipheriv(ALGORITHM, keys.cipher, iv);
  const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES)), decipher.final()]).toString('utf8');
  return timingSafeEqual(ivOf(keys, text), iv) ? text : undefined;
}

function ivOf({ mac }: SectorKeys, text: string): Buffer {
  return createHmac('sha256', mac).update(text, 'utf8').digest().subarray(0, IV_BYTES);
}

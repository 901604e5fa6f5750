import { hash } from 'node:crypto';
import { isLoopbackHost } from '../../oauth/authorize/redirect-uri.rules.ts';

/** What the pages of an application show beside its name: which logos and links they take. */

export const MAX_LINK_LENGTH = 1000;

/** The reason why a page cannot link to this address; undefined if it can. */
export function linkFault(uri: string): string | undefined {
  if (uri.length > MAX_LINK_LENGTH) return `must have at most ${MAX_LINK_LENGTH} characters`;
  if (!/^[\x21-\x7e]+$/.test(uri)) return 'must consist of printable ASCII characters: percent-encode the others';
  const url = /^https?:\/\/[^/?#\\]/i.test(uri) && !uri.includes('\\') && URL.canParse(uri) ? new URL(uri) : undefined;
  if (!url || (url.protocol === 'http:' && !isLoopbackHost(url.hostname))) {
    return 'must be an https address, such as https://example.com/help (plain http is for 127.0.0.1, [::1] and localhost)';
  }
  return url.username === '' && url.password === '' ? undefined : 'must not have a user name or password';
}

export const MAX_LOGO_BYTES = 32 * 1024;

const LOGO =
  /^data:(image\/(?:png|jpeg|webp|svg\+xml));base64,((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;
/** The longest beginning of a data: URI that is accepted, and the image in base64. */
const MAX_LOGO_LENGTH = 'data:image/svg+xml;base64,'.length + Math.ceil(MAX_LOGO_BYTES / 3) * 4;

/** How the bytes of each kind of image begin. A browser is told the type and does not guess it (nosniff). */
const SIGNATURES: Readonly<Record<string, (bytes: Buffer) => boolean>> = {
  'image/png': bytes => bytes.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex')),
  'image/jpeg': bytes => bytes.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex')),
  'image/webp': bytes => bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP',
  'image/svg+xml': bytes => bytes.includes('<svg'),
};

/**
 * The reason why this is no logo; undefined if it is one. An address of another server is refused: the pages of a sign-in load nothing
 * from elsewhere, so that nobody else learns who signs in when. A script in an SVG does no harm: browsers run none in an image, and
 * endpoint.ts serves it as a document without rights.
 */
export function logoFault(uri: string): string | undefined {
  if (uri.length > MAX_LOGO_LENGTH) return `must have at most ${MAX_LOGO_BYTES / 1024} KiB: make the image smaller`;
  const logo = readLogo(uri);
  if (!logo) {
    return 'must be the image itself, data:image/png;base64,… (or jpeg, webp, svg+xml): pages load nothing from another server';
  }
  if (logo.bytes.length > MAX_LOGO_BYTES)
    return `must have at most ${MAX_LOGO_BYTES / 1024} KiB: make the image smaller`;
  return SIGNATURES[logo.type]?.(logo.bytes) ? undefined : `must be an image of the type that it names, ${logo.type}`;
}

/** Of an image that somebody else publishes. Theirs are larger than what an operator puts into a file. */
export const MAX_FETCHED_LOGO_BYTES = 128 * 1024;

/** A raster image as a data: URI, by its first bytes; undefined: it is none. Never an SVG, which is a document. */
export function rasterDataUri(bytes: Buffer): string | undefined {
  const type = ['image/png', 'image/jpeg', 'image/webp'].find(each => SIGNATURES[each]?.(bytes));
  return type === undefined ? undefined : `data:${type};base64,${bytes.toString('base64')}`;
}

export interface Logo {
  readonly type: string;
  readonly bytes: Buffer;
}

/** Undefined: not of the form that `logoFault` accepts. */
export function readLogo(uri: string): Logo | undefined {
  const [, type, base64] = LOGO.exec(uri) ?? [];
  return type === undefined || base64 === undefined ? undefined : { type, bytes: Buffer.from(base64, 'base64') };
}

const LOGO_HASH_LENGTH = 24;

/** Part of the address of a logo, which therefore changes with the image and can be cached for ever. */
export function logoHash(uri: string): string {
  return hash('sha256', uri, 'hex').slice(0, LOGO_HASH_LENGTH);
}

import { failure } from '../../failures.ts';
import { GUARDED, type Headers, param } from '../../platform/http/message.ts';
import type { Endpoint } from '../../services.ts';
import { logoHash, readLogo } from './rules.ts';

const NOT_FOUND = { failure: failure('notFound') };

/**
 * An SVG that is opened by itself is a document, with the rights of this origin if it had any: it may run no script, load nothing and
 * send no form. Styles and images within it are part of the drawing.
 */
const WITHOUT_RIGHTS: Readonly<Headers> = {
  ...GUARDED,
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; frame-ancestors 'none'",
  'cache-control': 'public, max-age=31536000, immutable',
};

/** {issuer}/logo/{hash}: the logo of the application. Only the current one has an address, which changes with the image. */
export const logo: Endpoint = async ({ store }, request, { code, logo_hash }) => {
  const hash = param(request, 'hash');
  if (hash !== logo_hash) return NOT_FOUND;
  const uri = await store.findLogo(code);
  // Another image may have been stored since the application was read: it must not be cached under this address.
  if (uri === undefined || logoHash(uri) !== hash) return NOT_FOUND;
  const image = readLogo(uri);
  if (!image) return NOT_FOUND;
  return { status: 200, headers: { ...WITHOUT_RIGHTS, 'content-type': image.type }, body: image.bytes };
};

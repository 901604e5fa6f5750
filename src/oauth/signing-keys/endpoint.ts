import { BoundedCache } from '../../platform/bounded-cache.ts';
import { answerPublished, type Published, publishJson } from '../../platform/http/published.ts';
import type { Endpoint } from '../../services.ts';
import { KEY_SET_MAX_AGE_SECONDS } from './rules.ts';

/** Cached by the key identifiers in the document, which are thumbprints of the keys. */
const documents = new BoundedCache<string, Published>(1000);

/** RFC 7517 section 5: the public keys of this application. */
export const jwks: Endpoint = async ({ signer }, request, application) => {
  const keys = await signer.publishedKeys(application);
  const name = keys.map(({ jwk }) => jwk.kid).join(' ');
  let document = documents.get(name);
  if (!document) {
    document = publishJson({ keys: keys.map(({ jwk }) => jwk) }, KEY_SET_MAX_AGE_SECONDS);
    documents.set(name, document);
  }
  return answerPublished(request, document);
};

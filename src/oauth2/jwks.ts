import type { PublicKey } from '../keys/signer.ts';
import type { Endpoint } from '../services.ts';
import { answerPublished, type Published, publish } from './published.ts';

const MAX_AGE = 300;
const documents = new WeakMap<readonly PublicKey[], Published>();

/** RFC 7517 section 5: the public keys of this application. */
export const jwks: Endpoint = async ({ signer }, request, application) => {
  const keys = await signer.publicKeys(application.code);
  let document = documents.get(keys);
  if (!document) {
    document = publish({ keys: keys.map(({ jwk }) => jwk) }, MAX_AGE);
    documents.set(keys, document);
  }
  return answerPublished(request, document);
};

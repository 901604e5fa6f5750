import { type Application, issuerOf } from '../protocol/client.ts';
import { discoveryDocument } from '../protocol/metadata.ts';
import type { Endpoint } from '../services.ts';
import { answerPublished, type Published, publish } from './published.ts';

const MAX_AGE = 3600;
/** Made once for as long as the registry remembers the application. */
const documents = new WeakMap<Application, Published>();

/** OpenID Connect Discovery section 4 and RFC 8414 section 3. */
export const discovery: Endpoint = async ({ config }, request, application) => {
  let document = documents.get(application);
  if (!document) {
    document = publish(discoveryDocument(issuerOf(config.baseUrl, application.code), config.docsUrl), MAX_AGE);
    documents.set(application, document);
  }
  return answerPublished(request, document);
};

import { type Application, issuerOf } from '../protocol/client.ts';
import { discoveryDocument } from '../protocol/metadata.ts';
import type { Endpoint } from '../services.ts';
import { answerPublished, type Published, publish } from './published.ts';

const MAX_AGE_SECONDS = 3600;
/** Built once for each application object that the registry caches. */
const documents = new WeakMap<Application, Published>();

/** OpenID Connect Discovery section 4 and RFC 8414 section 3. */
export const discovery: Endpoint = async ({ config }, request, application) => {
  let document = documents.get(application);
  if (!document) {
    document = publish(discoveryDocument(issuerOf(config.baseUrl, application.code), config.docsUrl), MAX_AGE_SECONDS);
    documents.set(application, document);
  }
  return answerPublished(request, document);
};

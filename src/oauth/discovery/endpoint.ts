import type { Application } from '../../directory/applications/rules.ts';
import { answerPublished, type Published, publishJson } from '../../platform/http/published.ts';
import type { Endpoint } from '../../services.ts';
import { issuerFor } from './issuer.ts';
import { discoveryDocument } from './rules.ts';

const MAX_AGE_SECONDS = 3600;
/** Built once for each application object that the registry caches. */
const documents = new WeakMap<Application, Published>();

/** OpenID Connect Discovery section 4 and RFC 8414 section 3. */
export const discovery: Endpoint = async (services, request, application) => {
  let document = documents.get(application);
  if (!document) {
    const { config, tables } = services;
    const published = {
      issuer: issuerFor(services, application),
      docsUrl: config.docsUrl,
      endpoints: tables.discovery,
      grantTypes: tables.grantTypes,
      certificates: config.clientCertificates,
    };
    const metadata = discoveryDocument(published, application);
    document = publishJson(metadata, MAX_AGE_SECONDS);
    documents.set(application, document);
  }
  return answerPublished(request, document);
};

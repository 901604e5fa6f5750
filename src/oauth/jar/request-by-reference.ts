import type { RefusalFacts } from '../../audit/refusals/facts.rules.ts';
import type { Application } from '../../directory/applications/rules.ts';
import type { Client } from '../../directory/clients/rules.ts';
import { type Failure, failure } from '../../failures.ts';
import type { Entries } from '../../platform/http/params.rules.ts';
import type { Services } from '../../services.ts';
import { fetchRequest } from './fetch-request.ts';
import { openRequest } from './open-request.ts';
import type { RequestObjectFault } from './request-object.rules.ts';
import { registeredRequestUri } from './request-uri.rules.ts';

type Referred =
  | { readonly kind: 'opened'; readonly parameters: Entries }
  | { readonly kind: 'refused'; readonly failure: Failure; readonly facts: RefusalFacts };

/** `request_uri`: the client has published the object, and registered where (RFC 9101 section 5.2). */
export async function requestByReference(
  services: Services,
  application: Application,
  client: Client,
  object: string | undefined,
  uri: string,
): Promise<Referred> {
  const registered = object === undefined && registeredRequestUri(client.request_uris ?? [], uri);
  if (!registered) return { kind: 'refused', failure: failure('requestUriUnknown'), facts: {} };
  const fetched = await fetchRequest(services.requestDocuments.of(client), registered);
  if (fetched.kind === 'failed') return { kind: 'refused', failure: failure('requestUriUnreadable'), facts: {} };
  const opened = await openRequest(services, application, client, fetched.object);
  if (opened.kind === 'opened') return opened;
  // Its time may be over, and the client may have published another one since.
  const newer = await fetched.newer();
  const again = newer === undefined ? opened : await openRequest(services, application, client, newer);
  return again.kind === 'opened' ? again : refused(again.fault);
}

function refused(fault: RequestObjectFault): Referred {
  return { kind: 'refused', failure: failure('requestObjectInvalid'), facts: { requestObject: fault } };
}

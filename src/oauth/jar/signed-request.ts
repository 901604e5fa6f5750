import type { RefusalFacts } from '../../audit/refusals/facts.rules.ts';
import type { Application } from '../../directory/applications/rules.ts';
import type { Client } from '../../directory/clients/rules.ts';
import { type Failure, failure } from '../../failures.ts';
import type { Entries, Params } from '../../platform/http/params.rules.ts';
import { keptImport } from '../../platform/kept-import.ts';
import type { Services } from '../../services.ts';

const loadReferences = keptImport(() => import('./request-by-reference.ts'));
const loadOpening = keptImport(() => import('./open-request.ts'));

export type SignedRequest =
  /** Parameters one by one, as nearly every client sends them. */
  | { readonly kind: 'plain' }
  /** The parameters that the client has signed. */
  | { readonly kind: 'opened'; readonly parameters: Entries }
  | { readonly kind: 'refused'; readonly failure: Failure; readonly facts: RefusalFacts };

/**
 * The parameters inside of a signed request, which replace those beside it (RFC 9101 section 6.3). For a client that does not sign, `request`
 * is a parameter like any other, and refused as such.
 */
export async function signedRequest(
  services: Services,
  application: Application,
  client: Client,
  params: Params,
): Promise<SignedRequest> {
  if (!signsRequests(client)) return { kind: 'plain' };
  const object = params.get('request');
  const uri = params.get('request_uri');
  if (uri !== undefined && client.request_uris?.length) {
    const { requestByReference } = await loadReferences();
    return requestByReference(services, application, client, object, uri);
  }
  if (object === undefined) {
    return client.require_signed_request_object
      ? { kind: 'refused', failure: failure('requestObjectRequired'), facts: {} }
      : { kind: 'plain' };
  }
  const { openRequest } = await loadOpening();
  const opened = await openRequest(services, application, client, object);
  if (opened.kind === 'opened') return opened;
  return { kind: 'refused', failure: failure('requestObjectInvalid'), facts: { requestObject: opened.fault } };
}

type Signing = Pick<Client, 'request_object_signing_alg' | 'require_signed_request_object'>;

function signsRequests(client: Signing): boolean {
  return client.request_object_signing_alg !== undefined || client.require_signed_request_object === true;
}

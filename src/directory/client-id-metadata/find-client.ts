import { failure } from '../../failures.ts';
import { selfRegisteredScope } from '../../oauth/token/scope.rules.ts';
import type { Refusal } from '../../platform/http/message.ts';
import type { CachedDocument, DocumentCache } from '../../platform/outbound/document-cache.ts';
import type { Throttle } from '../../platform/throttle/throttle.ts';
import type { RegistryCache } from '../applications/registry.ts';
import type { Application } from '../applications/rules.ts';
import type { Client } from '../clients/rules.ts';
import type { ClientDocument } from './client-document.ts';
import { type ClientIdUrlFault, clientIdUrlFault, isClientIdUrl } from './rules.ts';

/** Where clients are found: in the registry, or at the address that is the client_id. */
export interface ClientSources {
  readonly registry: RegistryCache;
  readonly clientDocuments: DocumentCache<ClientDocument>;
  readonly throttle: Throttle;
}

interface Caller {
  readonly address: string;
}

/** Undefined: there is no such client. A refusal: what its address gives is no client. */
export type FoundClient = Client | Refusal | undefined;

/** The client of a request, as it is now. */
export function findClient(
  sources: ClientSources,
  application: Application,
  clientId: string,
  caller: Caller,
): Promise<FoundClient> {
  return isClientIdUrl(clientId)
    ? clientAt(sources, application, clientId, caller)
    : sources.registry.client(application.code, clientId);
}

async function clientAt(
  sources: ClientSources,
  application: Application,
  url: string,
  { address }: Caller,
): Promise<FoundClient> {
  const fault = clientIdUrlFault(application, url);
  if (fault) return refusedDocument(WHY[fault]);
  const read = await readDocument(sources, url, address);
  if ('failure' in read) return read;
  if (read.kind === 'failed') return refusedDocument(read.reason);
  const client = { ...read.document.client, scope: selfRegisteredScope(application, read.document.scope) };
  sources.registry.noteClient(application.code, client);
  return client;
}

const WHY: Readonly<Record<ClientIdUrlFault, string>> = {
  address:
    'the address must be https with a path, in its normal form, without fragment, user name or dot segments, and have at most 512 characters',
  domain: 'client_id_metadata of the application does not allow clients of this host',
};

/** Whoever names many addresses makes this server send requests: each network has a limited number of them. */
async function readDocument(
  { clientDocuments, throttle }: ClientSources,
  url: string,
  address: string,
): Promise<CachedDocument<ClientDocument> | Refusal> {
  const present = clientDocuments.present(url);
  if (present) return present;
  const { wait } = await throttle.admit({ kind: 'document', address });
  if (wait > 0) return { failure: failure('tooManyClientDocuments'), retryAfter: wait };
  return clientDocuments.read(url);
}

function refusedDocument(reason: string): Refusal {
  return { failure: failure('clientDocumentInvalid'), facts: { clientDocument: reason } };
}

/** What an endpoint works with that only asks whether there is such a client. */
export function clientOrNone(found: FoundClient): Client | undefined {
  return found && 'failure' in found ? undefined : found;
}

import type { Client } from '../../directory/clients/rules.ts';
import { fetchDocument } from '../../platform/outbound/document.ts';
import type { Loaded } from '../../platform/outbound/document-cache.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import type { Services } from '../../services.ts';
import { provesRedirectUris } from '../pairwise/rules.ts';

/** What the document at a sector_identifier_uri lists. */
export type ListedAddresses = readonly unknown[];

const KIND = { accept: 'application/json', maxBytes: 16 * 1024 };

/**
 * OpenID Connect Registration section 5: whoever names a sector has to be listed there. Otherwise a client would join the sector of another
 * owner and compare its users with theirs. Undefined: it is, or it names none.
 */
export async function sectorFault({ sectorDocuments }: Services, client: Client): Promise<string | undefined> {
  const { sector_identifier_uri: uri } = client;
  if (uri === undefined) return undefined;
  const known = await sectorDocuments.read(uri);
  if (known.kind === 'failed') return `sector_identifier_uri: cannot be read: ${known.reason}`;
  const missing = missingIn(known.document, client);
  if (missing === undefined) return undefined;
  const newer = await sectorDocuments.readNewer(uri, known);
  const left = newer?.kind === 'read' ? missingIn(newer.document, client) : missing;
  return left === undefined ? undefined : `sector_identifier_uri: does not list ${left}`;
}

/** The keys too, where no grant proves the redirect URIs (OpenID Connect CIBA Core section 4). */
function missingIn(listed: ListedAddresses, client: Client): string | undefined {
  const { redirect_uris, jwks_uri: keys } = client;
  const addresses = keys === undefined || provesRedirectUris(client) ? redirect_uris : [...redirect_uris, keys];
  return addresses.find(each => !listed.includes(each));
}

/** For as short a time as the cache has one: a client that is taken off the list must not join for long. */
const NO_AGE = 0;

export async function loadSector(uri: string, outbound: Outbound): Promise<Loaded<ListedAddresses>> {
  const fetched = await fetchDocument(uri, KIND, outbound);
  if (fetched.kind === 'failed') return fetched;
  const document = listIn(fetched.body.toString());
  return document
    ? { kind: 'read', document, maxAge: NO_AGE }
    : { kind: 'failed', reason: 'the document is no JSON array of addresses' };
}

function listIn(text: string): ListedAddresses | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

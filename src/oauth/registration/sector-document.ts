import type { Client } from '../../directory/clients/rules.ts';
import { fetchDocument } from '../../platform/outbound/document.ts';
import type { Services } from '../../services.ts';
import { provesRedirectUris } from '../pairwise/rules.ts';

const KIND = { accept: 'application/json', maxBytes: 16 * 1024 };

/**
 * OpenID Connect Registration section 5: whoever names a sector has to be listed there. Otherwise a client would join the sector of another
 * owner and compare its users with theirs. Undefined: it is, or it names none.
 */
export async function sectorFault({ config }: Services, client: Client): Promise<string | undefined> {
  const { sector_identifier_uri: uri } = client;
  if (uri === undefined) return undefined;
  const document = await fetchDocument(uri, KIND, config.outbound);
  if (document.kind === 'failed') return `sector_identifier_uri: cannot be read: ${document.reason}`;
  const listed = listIn(document.body.toString());
  const missing = listed && addressesOf(client).find(each => !listed.includes(each));
  if (listed && missing === undefined) return undefined;
  return listed
    ? `sector_identifier_uri: does not list ${missing}`
    : 'sector_identifier_uri: is no JSON array of addresses';
}

/** The keys too, where no grant proves the redirect URIs (OpenID Connect CIBA Core section 4). */
function addressesOf(client: Client): readonly string[] {
  const { redirect_uris, jwks_uri: keys } = client;
  return keys === undefined || provesRedirectUris(client) ? redirect_uris : [...redirect_uris, keys];
}

function listIn(text: string): readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

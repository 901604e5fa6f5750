import { BoundedCache } from '../../platform/bounded-cache.ts';
import { fetchDocument } from '../../platform/outbound/document.ts';
import type { Loaded } from '../../platform/outbound/document-cache.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import type { Services } from '../../services.ts';
import type { ConnectedProvider, ProviderFault } from '../federation/connector.ts';
import { metadataFaults } from './faults.rules.ts';
import { type IdentityProvider, MAX_METADATA_LENGTH, readMetadata } from './metadata.rules.ts';

export type ReadProvider =
  | { readonly kind: 'read'; readonly identityProvider: IdentityProvider }
  | { readonly kind: 'failed'; readonly fault: ProviderFault };

/** What an identity provider says of itself, as the operator has given it, or as it is published. */
export async function identityProviderOf(services: Services, provider: ConnectedProvider): Promise<ReadProvider> {
  const { metadata, metadata_url: url = '' } = provider;
  if (metadata !== undefined) return inTime(services, givenProvider(metadata));
  const read = await services.samlMetadata.read(url);
  if (read.kind === 'failed') return unavailable(read.reason);
  return inTime(services, read.document);
}

/** Newer than those that did not hold: the provider may have a new key. Undefined: there are none, or they were read just now. */
export async function newerProviderOf(
  services: Services,
  { metadata_url: url }: ConnectedProvider,
): Promise<IdentityProvider | undefined> {
  if (url === undefined) return undefined;
  const { samlMetadata } = services;
  const newer = await samlMetadata.readNewer(url, await samlMetadata.read(url));
  if (newer?.kind !== 'read') return undefined;
  const read = inTime(services, newer.document);
  return read.kind === 'read' ? read.identityProvider : undefined;
}

/** SAML metadata section 2.4.3: they are not used when they have ended. */
function inTime({ clock }: Services, identityProvider: IdentityProvider): ReadProvider {
  const { validUntil } = identityProvider;
  const hasEnded = validUntil !== undefined && clock.now() >= validUntil;
  return hasEnded
    ? unavailable('its metadata have ended (validUntil): get new ones')
    : { kind: 'read', identityProvider };
}

function unavailable(reason: string): ReadProvider {
  return { kind: 'failed', fault: { kind: 'unavailable', reason } };
}

/** Some of them: parsing those of Entra ID takes a millisecond. */
const given = new BoundedCache<string, IdentityProvider>(50);

function givenProvider(metadata: string): IdentityProvider {
  const present = given.get(metadata);
  if (present) return present;
  const read = readMetadata(metadata);
  if (read.kind === 'refused') throw new Error(`the metadata that were registered ${metadataFaults[read.fault]}`);
  given.set(metadata, read.identityProvider);
  return read.identityProvider;
}

const METADATA = { accept: 'application/samlmetadata+xml, application/xml, text/xml', maxBytes: MAX_METADATA_LENGTH };

const COMPARE = 'compare metadata_url with the documentation of the provider';

export async function loadMetadata(url: string, outbound: Outbound): Promise<Loaded<IdentityProvider>> {
  const fetched = await fetchDocument(url, METADATA, outbound);
  if (fetched.kind === 'failed') {
    const status = /^the answer has the status (\d+)$/.exec(fetched.reason)?.[1];
    return status === undefined ? fetched : { kind: 'failed', reason: `metadata_url returns ${status}: ${COMPARE}` };
  }
  const read = readMetadata(fetched.body.toString());
  if (read.kind === 'refused') {
    return { kind: 'failed', reason: `the metadata ${metadataFaults[read.fault]}: ${COMPARE}` };
  }
  return { kind: 'read', document: read.identityProvider, maxAge: fetched.maxAge };
}

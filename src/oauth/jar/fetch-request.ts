import { hash } from 'node:crypto';
import type { DocumentCache } from '../../platform/outbound/document-cache.ts';
import type { RequestUri } from './request-uri.rules.ts';

/** A request object that a client has published (RFC 9101 section 5.2). */
export type FetchedRequest =
  | { readonly kind: 'fetched'; readonly object: string; newer(): Promise<string | undefined> }
  | { readonly kind: 'failed' };

/**
 * From the cache where it is there and has the hash that the address names. `newer`: what is there now, for an object that did not hold; at
 * most every ten seconds, so that nobody can make this server send many requests to another one.
 */
export async function fetchRequest(
  documents: DocumentCache<string>,
  { address, hash: expected }: RequestUri,
): Promise<FetchedRequest> {
  const has = (text: string) => expected === undefined || hash('sha256', text, 'base64url') === expected;
  const known = await documents.read(address);
  if (known.kind === 'failed') return { kind: 'failed' };
  const newer = async () => {
    const read = await documents.readNewer(address, known);
    return read?.kind === 'read' && has(read.document) ? read.document.trim() : undefined;
  };
  const object = has(known.document) ? known.document.trim() : await newer();
  return object === undefined ? { kind: 'failed' } : { kind: 'fetched', object, newer };
}

/**
 * A client_id that is the address of the client's own metadata (draft-ietf-oauth-client-id-metadata-document-02 section 3). No
 * client_id that operators set has a colon (directory/clients/fields.ts), so that the two cannot be confused.
 */
export function isClientIdUrl(clientId: string): boolean {
  return clientId.startsWith('https://');
}

/** It is a key of several indexes, and PostgreSQL takes 2,700 bytes there. */
export const MAX_CLIENT_ID_URL_LENGTH = 512;

/** What `client_id_metadata` of an application says: nobody, everybody, or clients of these hosts. */
export type ClientIdMetadata = 'off' | 'any' | readonly string[];

/** What has to be right before anything is fetched; undefined: nothing is wrong. */
export type ClientIdUrlFault = 'address' | 'domain';

export function clientIdUrlFault(
  { client_id_metadata: allowed = 'off' }: { readonly client_id_metadata?: ClientIdMetadata | undefined },
  clientId: string,
): ClientIdUrlFault | undefined {
  const url = clientId.length <= MAX_CLIENT_ID_URL_LENGTH ? URL.parse(clientId) : null;
  if (!url || !isWellFormed(url, clientId)) return 'address';
  return allowed === 'any' || (allowed !== 'off' && isListedHost(allowed, url.hostname)) ? undefined : 'domain';
}

/**
 * Only the one spelling that a URL parser writes: so no dot segments, also none with percent signs, no default port and no upper case
 * in the host. Two addresses that differ are two clients.
 */
function isWellFormed(url: URL, clientId: string): boolean {
  const isPlain = url.username === '' && url.password === '' && !clientId.includes('#');
  return url.protocol === 'https:' && isPlain && url.pathname !== '/' && url.href === clientId;
}

/** `example.com` is that host alone; `*.example.com` is every host below it. */
function isListedHost(listed: readonly string[], host: string): boolean {
  return listed.some(each => (each.startsWith('*.') ? host.endsWith(each.slice(1)) : host === each));
}

/** The host, as the consent page shows it. */
export function hostOf(address: string): string {
  return URL.parse(address)?.host ?? '';
}

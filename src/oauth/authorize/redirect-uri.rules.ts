import type { Client } from '../../directory/clients/rules.ts';

/**
 * Whether a redirect URI is registered. It is compared as an exact string, with one exception: a loopback IP address may have any
 * port, because a native application cannot choose its port in advance (RFC 8252 section 7.3). For public clients the same holds
 * for `localhost`, because many libraries for native applications support nothing else (section 8.3).
 */
export function isRegistered(client: RegisteredRedirectUris, requested: string): boolean {
  const { redirect_uris: registered } = client;
  if (registered.includes(requested)) return true;
  const pattern = client.token_endpoint_auth_method === 'none' ? LOOPBACK_OR_LOCALHOST : LOOPBACK;
  const portless = withoutPort(requested, pattern);
  return portless !== undefined && registered.some(uri => withoutPort(uri, pattern) === portless);
}

type RegisteredRedirectUris = Pick<Client, 'redirect_uris' | 'token_endpoint_auth_method'>;

/**
 * Whether the client is a native application: a public client with a loopback or private-scheme redirect URI. Any program on the
 * same machine can impersonate it (RFC 8252 section 8.6). Registration allows plain http for loopback hosts only, so every URI
 * that is not https is one of the two.
 */
export function isNative(client: Pick<Client, 'token_endpoint_auth_method'>, redirectUri: string): boolean {
  return client.token_endpoint_auth_method === 'none' && !/^https:/i.test(redirectUri);
}

const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\])(?::(\d{1,5}))?([/?].*)?$/s;
const LOOPBACK_OR_LOCALHOST = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::(\d{1,5}))?([/?].*)?$/s;

function withoutPort(uri: string, pattern: RegExp): string | undefined {
  const match = pattern.exec(uri);
  if (!match || Number(match[2] ?? 0) > 65535) return undefined;
  return `http://${match[1]}${match[3] ?? ''}`;
}

/** Schemes that run scripts, read files, or cannot lead the browser back to an application. */
const REFUSED_SCHEMES = new Set([
  'javascript:',
  'data:',
  'file:',
  'vbscript:',
  'blob:',
  'about:',
  'filesystem:',
  'view-source:',
  'ws:',
  'wss:',
  'ftp:',
  'mailto:',
  'tel:',
]);

/** The reason why a URI cannot be registered; undefined if it can. */
export function registrationFault(uri: string): string | undefined {
  if (!/^[\x21-\x7e]+$/.test(uri)) return 'must consist of printable ASCII characters';
  if (uri.includes('#')) return 'must not have a fragment';
  if (uri.includes('*')) return 'must not have a wildcard: each address is registered in full';
  if (uri.includes('\\')) return 'must not have a backslash';
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:/.test(uri) || !URL.canParse(uri)) return 'must be an absolute URI';
  const url = new URL(uri);
  if (REFUSED_SCHEMES.has(url.protocol)) return `must not use the scheme ${url.protocol}`;
  if (isSlipOfHttp(url.protocol)) return `must not use the scheme ${url.protocol} (do you mean ${withoutSlip(uri)}?)`;
  if (/^[^:]+:\/\/[^/?]*@/.test(uri)) return 'must not have a user name or password';
  if (/^https?:$/.test(url.protocol) && !/^https?:\/\/[^/?]/.test(uri)) return 'must name a host';
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) {
    return 'must use https (plain http is for 127.0.0.1, [::1] and localhost)';
  }
  return undefined;
}

/** A letter of http or https that is missing, doubled, or has changed places with the next. */
const SLIPS_OF_HTTP = /^(?:h{1,2}t{1,3}p{1,2}s{0,2}|t{2,3}ps?|ht+sp|hpt+s?|tht+ps?):$/;

/** `htps:`, `htp:`, `htttps:` and the like: no program has such a scheme, and the browser would find none. */
function isSlipOfHttp(scheme: string): boolean {
  return SLIPS_OF_HTTP.test(scheme) && scheme !== 'http:' && scheme !== 'https:';
}

function withoutSlip(uri: string): string {
  const rest = uri.replace(/^[a-z]+:\/*/i, '');
  const hostname = URL.parse(`https://${rest}`)?.hostname ?? '';
  return `${isLoopbackHost(hostname) ? 'http' : 'https'}://${rest}`;
}

/**
 * RFC 8252 section 7.1: a scheme of its own leads to a program on the user's device, and any program there can take it. A client with a
 * secret is on a server, which has no such scheme.
 */
export function hasSchemeOfItsOwn(uri: string): boolean {
  return !/^https?:/i.test(uri);
}

/** The hosts for which plain http is allowed. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
}

/** The web origin of a URI; undefined for a private scheme. */
export function originOf(uri: string): string | undefined {
  const url = new URL(uri);
  return url.origin === 'null' ? undefined : url.origin;
}

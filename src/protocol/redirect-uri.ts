import type { Client } from './client.ts';

/**
 * Redirect addresses. At request time they are compared as exact strings, with one exception: the port of a loopback
 * literal is free, because a native application cannot choose it beforehand (RFC 8252 section 7.3). Public clients have the
 * same freedom with `localhost`, since many libraries for native applications can use nothing else (8.3).
 */
export function isRegistered(client: RegisteredTarget, requested: string): boolean {
  const { redirect_uris: registered } = client;
  if (registered.includes(requested)) return true;
  const pattern = client.token_endpoint_auth_method === 'none' ? LOOPBACK_OR_LOCALHOST : LOOPBACK;
  const portless = withoutPort(requested, pattern);
  return portless !== undefined && registered.some(uri => withoutPort(uri, pattern) === portless);
}

type RegisteredTarget = Pick<Client, 'redirect_uris' | 'token_endpoint_auth_method'>;

/**
 * A public client at a loopback address or a private scheme can be imitated by any program of the same machine (RFC 8252
 * section 8.6). Plain http is registered for loopback addresses alone, so what is not https is one of the two.
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

/** Schemes that run script, read files or cannot carry a person back to an application. */
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

/** Why an address cannot be registered, or undefined when it can. */
export function registrationFault(uri: string): string | undefined {
  if (!/^[\x21-\x7e]+$/.test(uri)) return 'must consist of printable ASCII characters';
  if (uri.includes('#')) return 'must not have a fragment';
  if (uri.includes('*')) return 'must not have a wildcard: each address is registered in full';
  if (uri.includes('\\')) return 'must not have a backslash';
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:/.test(uri) || !URL.canParse(uri)) return 'must be an absolute URI';
  const url = new URL(uri);
  if (REFUSED_SCHEMES.has(url.protocol)) return `must not use the scheme ${url.protocol}`;
  if (/^[^:]+:\/\/[^/?]*@/.test(uri)) return 'must not have a user name or password';
  if (/^https?:$/.test(url.protocol) && !/^https?:\/\/[^/?]/.test(uri)) return 'must name a host';
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) {
    return 'must use https (plain http is for 127.0.0.1, [::1] and localhost)';
  }
  return undefined;
}

/** The names of this machine that a plain-http address may have. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
}

/** The web origin an address belongs to; undefined for the private schemes of native applications. */
export function originOf(uri: string): string | undefined {
  const url = new URL(uri);
  return url.origin === 'null' ? undefined : url.origin;
}

/**
 * Redirect addresses. At request time they are compared as exact strings, with one exception: the port of a loopback
 * literal is free, because a native application cannot choose it beforehand (RFC 8252 section 7.3).
 */
export function isRegistered(registered: readonly string[], requested: string): boolean {
  if (registered.includes(requested)) return true;
  const portless = withoutLoopbackPort(requested);
  return portless !== undefined && registered.some(uri => withoutLoopbackPort(uri) === portless);
}

const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\])(?::(\d{1,5}))?([/?].*)?$/s;

function withoutLoopbackPort(uri: string): string | undefined {
  const match = LOOPBACK.exec(uri);
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

function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
}

/** The web origin an address belongs to; undefined for the private schemes of native applications. */
export function originOf(uri: string): string | undefined {
  const url = new URL(uri);
  return url.origin === 'null' ? undefined : url.origin;
}

import { parseCookie, stringifySetCookie } from 'cookie';
import { header, type Request } from './message.ts';

/**
 * The cookies of this server's pages. They are HttpOnly and SameSite=Lax (Strict would drop them when a client redirects the
 * browser here). On https they have the `__Host-` prefix, so that neither a subdomain nor a plain-http page can set them
 * (RFC 6265bis section 4.1.3).
 */
export interface CookieJar {
  read(request: Request, name: string): string | undefined;
  write(name: string, value: string, maxAge?: number): string;
  erase(name: string): string;
}

export function createCookieJar(baseUrl: string): CookieJar {
  const secure = baseUrl.startsWith('https:');
  const fullName = (name: string) => (secure ? `__Host-${name}` : name);
  const write = (name: string, value: string, maxAge?: number) =>
    stringifySetCookie({
      name: fullName(name),
      value,
      httpOnly: true,
      sameSite: 'lax',
      path: '/',
      secure,
      ...(maxAge === undefined ? {} : { maxAge }),
    });
  return {
    read: (request, name) => {
      const text = header(request, 'cookie');
      return text === undefined ? undefined : readCookie(text, fullName(name));
    },
    write,
    erase: name => write(name, '', 0),
  };
}

/**
 * The first cookie of this name (RFC 6265 section 5.4). The others are not decoded: anybody can send thousands, and each that is badly
 * encoded costs an exception.
 */
function readCookie(text: string, name: string): string | undefined {
  const pattern = patterns.get(name) ?? new RegExp(`(?:^|;)[ \\t]*(${name}[ \\t]*=[^;]*)`);
  patterns.set(name, pattern);
  const pair = pattern.exec(text)?.[1];
  return pair === undefined ? undefined : parseCookie(pair)[name];
}

/** Of the few cookies that this server has, whose names are letters, hyphens and underscores. */
const patterns = new Map<string, RegExp>();

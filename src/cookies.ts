import { parseCookie, stringifySetCookie } from 'cookie';
import { header, type Request } from './message.ts';

/**
 * Cookies of our own pages: HttpOnly, SameSite=Lax (they must come along when a client sends the browser here), and on
 * https with the `__Host-` prefix, so that no subdomain and no plain-http neighbour can plant one (RFC 6265bis 4.1.3).
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
      return text === undefined ? undefined : parseCookie(text)[fullName(name)];
    },
    write,
    erase: name => write(name, '', 0),
  };
}

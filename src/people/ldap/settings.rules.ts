import { isIP } from 'node:net';
import type { GroupSearch, Provider } from '../../directory/providers/rules.ts';

/** Pure: what is registered of a directory, with everything that is left out. */

export interface DirectoryUrl {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
}

/** RFC 4516, as far as it names a server: what is searched for is in fields of its own. */
export function readUrl(text: string): DirectoryUrl | undefined {
  const url = URL.parse(text);
  if (!url || !/^ldaps?:$/.test(url.protocol) || url.hostname === '') return undefined;
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return undefined;
  if (url.pathname !== '' && url.pathname !== '/') return undefined;
  const isTls = url.protocol === 'ldaps:';
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (isTls ? 636 : 389) : Number(url.port),
    isTls,
  };
}

/** By its text alone; the address that a name leads to is looked at on the connection. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** Continues "url …". Undefined: the passwords are protected on their way. */
export function urlFault(entry: Readonly<Record<string, unknown>>): string | undefined {
  const { type, url, starttls } = entry;
  if (type === 'password-check' && typeof url === 'string' && /^https?:/.test(url)) {
    return URL.canParse(url) ? undefined : 'must be an address such as https://old.example/check';
  }
  if (type === 'password-check' && entry.search_base === undefined) {
    return 'must be an https address, or that of a directory with search_base';
  }
  for (const text of urlsOf(url)) {
    const read = typeof text === 'string' ? readUrl(text) : undefined;
    if (!read) return 'must be an address such as ldaps://dc.corp.example, without a path';
    if (read.isTls && starttls === true) return 'must begin with ldap: where starttls is true';
    if (!read.isTls && starttls !== true && !isLoopbackHost(read.host)) {
      return 'must begin with ldaps:, or have starttls: true; without TLS only this machine is reached';
    }
  }
  return undefined;
}

export function urlsOf(url: unknown): readonly unknown[] {
  return Array.isArray(url) ? url : [url];
}

export const MAX_URLS = 5;
export const DEFAULT_SEARCH_FILTER = '(uid={username})';
export const DEFAULT_SUBJECT = 'entryUUID';
export const DEFAULT_GROUP_FILTER = '(member={dn})';
export const DEFAULT_GROUP_NAME = 'cn';

/** The form of `groups` that a directory has; the fields are held to it. */
export function groupSearchOf({ groups }: Pick<Provider, 'groups'>): GroupSearch | undefined {
  return groups as GroupSearch | undefined;
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** `15m`, or seconds. */
export function secondsOf(duration: string | number): number {
  if (typeof duration === 'number') return duration;
  const [, count = '', unit = ''] = /^(\d+)([smhd])$/.exec(duration) ?? [];
  return Number(count) * (UNITS[unit] ?? 1);
}

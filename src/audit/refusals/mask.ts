import type { JwtFacts, Value } from '../explain/snapshot.ts';
import { isMisspelt } from './similar.ts';

/**
 * What of a request may be stored. A value is shown only when it is recognised: a known word of the protocol or nearly one, the
 * name of a client that exists, a URI. Everything else is described by its kind and length, because people send secrets in the
 * wrong parameter too.
 */
const KINDS: readonly (readonly [string, string])[] = [
  ['gac_', 'authorization code'],
  ['gat_', 'access token'],
  ['grt_', 'refresh token'],
  ['gse_', 'session id'],
  ['gdc_', 'device code'],
  ['gar_', 'auth_req_id'],
  ['gak_', 'API key'],
  ['gia_', 'initial access token'],
  ['gra_', 'registration access token'],
  ['gpr_', 'password reset token'],
  ['gec_', 'e-mail confirmation token'],
  ['geu_', 'e-mail undo token'],
];

const JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/;

export function hide(text: string, issuerPrefix = ''): Value {
  const notes = notesOn(text);
  const jwt = JWT.test(text) ? readJwt(text, issuerPrefix) : undefined;
  return {
    hidden: jwt ? 'JWT' : (KINDS.find(([prefix]) => text.trim().startsWith(prefix))?.[1] ?? 'text'),
    length: text.length,
    ...(notes.length === 0 ? {} : { notes }),
    ...(jwt ? { jwt } : {}),
  };
}

/** What often goes wrong when a value is copied. */
function notesOn(text: string): string[] {
  const notes: string[] = [];
  if (/[\r\n]$/.test(text)) notes.push('ends with a line break');
  else if (text !== text.trim()) notes.push('begins or ends with white space');
  if (/^(["']).*\1$/s.test(text.trim())) notes.push('stands in quotation marks');
  if (/%[0-9a-f]{2}/i.test(text)) notes.push('is still percent-encoded');
  return notes;
}

/** Header and payload are not secret, but only three members are of use here. */
function readJwt(text: string, issuerPrefix: string): JwtFacts | undefined {
  const [header, payload] = text.split('.').map(readObject);
  if (!header || !payload) return undefined;
  const { exp, iss } = payload;
  const app =
    typeof iss === 'string' && issuerPrefix !== '' && iss.startsWith(issuerPrefix) ? iss.split('/').at(-2) : undefined;
  return {
    typ: ['JWT', 'at+jwt', 'logout+jwt'].find(typ => typ === header.typ),
    expiresAt: typeof exp === 'number' ? exp : undefined,
    app,
  };
}

function readObject(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Each is compared with every known one, letter by letter: a request that has so many is not read any further. */
const MAX_WORDS_LENGTH = 1024;

/** Shows the known words, in any order, also misspelt. Of any other word only the length is shown. */
export function showWords(text: string, known: readonly string[], also?: string): Value {
  if (text.length > MAX_WORDS_LENGTH) return hide(text);
  const words = text.split(' ').filter(word => word !== '');
  const isKnown = (word: string) => word === also || known.some(name => isMisspelt(word, name));
  if (!words.some(isKnown)) return hide(text);
  return { shown: words.map(word => (isKnown(word) ? word : `(${word.length} characters)`)).join(' ') };
}

const MAX_URI_LENGTH = 512;

/**
 * Shows a URI without what may be secret: user information, values of the query that look random, and credentials of this server
 * wherever they are. A path is part of a registration, so random parts of it stay.
 */
export function showUri(text: string): Value {
  // A URI that was encoded twice is shown too.
  if (!/^\s*[a-z][a-z0-9+.-]*(:|%3a)/i.test(text) || text.length > MAX_URI_LENGTH) return hide(text);
  const withoutUser = text.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, `$1${MASK}@`);
  const end = withoutUser.search(/[?#]/);
  if (end < 0) return { shown: maskCredentials(withoutUser) };
  return { shown: maskCredentials(withoutUser.slice(0, end)) + maskRandom(withoutUser.slice(end)) };
}

export const MASK = '…';

/** Ours, and JWTs. */
const CREDENTIAL = new RegExp(`(${[...KINDS.map(([prefix]) => prefix), 'eyJ'].join('|')})[\\w.~%-]{16,}`, 'g');

function maskCredentials(text: string): string {
  return text.replace(CREDENTIAL, MASK);
}

/** Masks credentials, and what looks random: 16 characters or more with letters and digits mixed. */
export function maskRandom(text: string): string {
  return maskCredentials(text).replace(/[\w~+%.-]{16,}/g, part => (isRandom(part) ? MASK : part));
}

/** The detail of a failure, such as a refused scope, for the log: it is whatever the caller wrote. */
export function loggedDetail(detail: string | undefined): string | undefined {
  return detail === undefined ? undefined : maskRandom(detail);
}

function isRandom(part: string): boolean {
  return /\d/.test(part) && /[A-Za-z]/.test(part) && !/^[a-z]+([-_.][a-z0-9]+)+$/.test(part);
}

/** Whether no part of the value was masked. */
export function isUnmasked(value: Value | undefined): value is { readonly shown: string } {
  return value !== undefined && 'shown' in value && !value.shown.includes(MASK);
}

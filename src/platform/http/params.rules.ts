/**
 * Form and query parameters (RFC 6749 section 3.1 and appendix B). A parameter without a value counts as omitted. A parameter that
 * is repeated or cannot be decoded has no value and is reported as a fault: sending a valid and an invalid copy passes no check.
 */
export interface Params {
  get(name: string): string | undefined;
  /** Whether it was sent, once and without a value. */
  isEmpty(name: string): boolean;
  /** For a parameter that may be repeated, such as `resource` (RFC 8707 section 2). Values that cannot be decoded are left out. */
  all(name: string): readonly string[];
  /** The first of these parameters that is repeated or cannot be decoded. */
  fault(names: readonly string[]): ParamFault | undefined;
}

export interface ParamFault {
  readonly name: string;
  readonly kind: 'duplicated' | 'malformed';
}

/** More than any request has, also one with many `resource`. Each costs time, and anybody can send them. */
export const MAX_PARAMS = 200;

export function hasTooManyParams(raw: string): boolean {
  let count = 1;
  for (let at = raw.indexOf('&'); at >= 0 && count <= MAX_PARAMS; at = raw.indexOf('&', at + 1)) count++;
  return count > MAX_PARAMS;
}

export const NO_PARAMS: Params = { get: () => undefined, isEmpty: () => false, all: () => [], fault: () => undefined };

export function parseParams(raw: string): Params {
  if (raw === '') return NO_PARAMS;
  const params = new NamedParams();
  for (let start = 0; start <= raw.length; ) {
    const next = raw.indexOf('&', start);
    const end = next < 0 ? raw.length : next;
    if (end > start) addPair(params, raw.slice(start, end));
    start = end + 1;
  }
  return params;
}

function addPair(params: NamedParams, pair: string): void {
  const equals = pair.indexOf('=');
  const name = decode(equals < 0 ? pair : pair.slice(0, equals));
  if (name !== undefined) params.add(name, equals < 0 ? '' : decode(pair.slice(equals + 1)));
}

export type Entries = readonly (readonly [name: string, value: string])[];

/** Of names and values that never were in a form: as if they had been. */
export function paramsOf(entries: Entries): Params {
  const params = new NamedParams();
  for (const [name, value] of entries) {
    if (!name.includes('\0')) params.add(name, value.includes('\0') ? undefined : value);
  }
  return params;
}

class NamedParams implements Params {
  readonly #values = new Map<string, string>();
  #faults: Map<string, ParamFault['kind']> | undefined;
  /** The values of repeated parameters. */
  #repeated: Map<string, string[]> | undefined;

  get(name: string): string | undefined {
    return this.#values.get(name) || undefined;
  }

  isEmpty(name: string): boolean {
    return this.#values.get(name) === '' && this.#faults?.has(name) !== true;
  }

  all(name: string): readonly string[] {
    const value = this.get(name);
    return this.#repeated?.get(name) ?? (value === undefined ? [] : [value]);
  }

  fault(names: readonly string[]): ParamFault | undefined {
    for (const name of this.#faults ? names : []) {
      const kind = this.#faults?.get(name);
      if (kind !== undefined) return { name, kind };
    }
    return undefined;
  }

  /** Undefined: the value cannot be decoded. */
  add(name: string, value: string | undefined): void {
    if (this.#values.has(name)) this.#repeat(name, value);
    else if (value === undefined) this.#addFault(name, 'malformed');
    else this.#values.set(name, value);
  }

  #repeat(name: string, value: string | undefined): void {
    this.#repeated ??= new Map();
    const values = this.#repeated.get(name) ?? [...this.all(name)];
    if (value) values.push(value);
    this.#repeated.set(name, values);
    this.#addFault(name, value === undefined ? 'malformed' : (this.#faults?.get(name) ?? 'duplicated'));
  }

  #addFault(name: string, kind: ParamFault['kind']): void {
    this.#faults ??= new Map();
    this.#faults.set(name, kind);
    this.#values.set(name, '');
  }
}

const TAIL = '%[89AB][0-9A-F]';
/** RFC 3629 section 4, each byte percent-encoded. */
const UTF8_CHARACTERS = [
  '%[0-7][0-9A-F]',
  `%(?:C[2-9A-F]|D[0-9A-F])${TAIL}`,
  `%E0%[AB][0-9A-F]${TAIL}`,
  `%ED%[89][0-9A-F]${TAIL}`,
  `%E[1-9A-CEF]${TAIL}${TAIL}`,
  `%F0%[9AB][0-9A-F]${TAIL}${TAIL}`,
  `%F[1-3]${TAIL}${TAIL}${TAIL}`,
  `%F4%8[0-9A-F]${TAIL}${TAIL}`,
];
/**
 * What decodeURIComponent decodes. To throw and catch costs a hundred times as much, and a caller chooses how often. No two alternatives
 * begin alike, so that the time is linear in the length.
 */
const ENCODED = new RegExp(`^[^%]*(?:(?:${UTF8_CHARACTERS.join('|')})[^%]*)*$`, 'i');

/** Undefined for invalid percent-encoding, for bytes that are not UTF-8, and for NUL, which no parameter may contain. */
function decode(text: string): string | undefined {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced.includes('\0') ? undefined : spaced;
  if (!ENCODED.test(spaced)) return undefined;
  const decoded = decodeURIComponent(spaced);
  return decoded.includes('\0') ? undefined : decoded;
}

/** The same parameters as they were sent, without some of them and without those whose name cannot be decoded. */
export function withoutParams(raw: string, names: readonly string[]): string {
  const isKept = (pair: string) => {
    const name = decode(pair.split('=', 1)[0] ?? '');
    return pair !== '' && name !== undefined && !names.includes(name);
  };
  return raw.split('&').filter(isKept).join('&');
}

/** RFC 3986 percent-encoding: a space becomes %20, never a plus sign. */
export function encodeParams(entries: Iterable<readonly [string, string | undefined]>): string {
  let text = '';
  for (const [name, value] of entries) {
    if (value === undefined) continue;
    text += `${text === '' ? '' : '&'}${encodeURIComponent(name)}=${encodeURIComponent(value.toWellFormed())}`;
  }
  return text;
}

/**
 * Encodes the characters of a form body that a URL cannot contain. So a request by POST fits into a Location header and has the
 * same size limit as one by GET.
 */
export function encodeForUrl(raw: string): string {
  return raw.replace(/[^\x21\x22\x24-\x7e]+/g, part => encodeURIComponent(part.toWellFormed()));
}

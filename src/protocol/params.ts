/**
 * Form and query parameters (RFC 6749 section 3.1 and appendix B). A parameter sent without a value counts as omitted;
 * one sent twice, or whose encoding is broken, has no value and is remembered as such, so that no check can be passed by
 * sending both a good and a bad copy.
 */
export interface Params {
  get(name: string): string | undefined;
  /** The first of these names that was sent twice or cannot be decoded. */
  fault(names: readonly string[]): ParamFault | undefined;
}

export interface ParamFault {
  readonly name: string;
  readonly kind: 'duplicated' | 'malformed';
}

const NOTHING: Params = { get: () => undefined, fault: () => undefined };

export function parseParams(raw: string): Params {
  return raw === '' ? NOTHING : new Parsed(raw);
}

class Parsed implements Params {
  readonly #values = new Map<string, string>();
  #faults: Map<string, ParamFault['kind']> | undefined;

  constructor(raw: string) {
    for (let start = 0; start <= raw.length; ) {
      const next = raw.indexOf('&', start);
      const end = next < 0 ? raw.length : next;
      if (end > start) this.#note(raw.slice(start, end));
      start = end + 1;
    }
  }

  get(name: string): string | undefined {
    return this.#values.get(name) || undefined;
  }

  fault(names: readonly string[]): ParamFault | undefined {
    for (const name of this.#faults ? names : []) {
      const kind = this.#faults?.get(name);
      if (kind !== undefined) return { name, kind };
    }
    return undefined;
  }

  #note(pair: string): void {
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    if (name === undefined) return;
    const value = equals < 0 ? '' : decode(pair.slice(equals + 1));
    if (this.#values.has(name)) this.#spoil(name, 'duplicated');
    else if (value === undefined) this.#spoil(name, 'malformed');
    else this.#values.set(name, value);
  }

  #spoil(name: string, kind: ParamFault['kind']): void {
    this.#faults ??= new Map();
    this.#faults.set(name, kind);
    this.#values.set(name, '');
  }
}

/** Undefined for broken percent-encoding, for bytes that are no UTF-8, and for NUL, which no parameter may hold. */
function decode(text: string): string | undefined {
  let decoded = text;
  if (text.includes('%') || text.includes('+')) {
    try {
      decoded = decodeURIComponent(text.replaceAll('+', ' '));
    } catch {
      return undefined;
    }
  }
  return decoded.includes('\0') ? undefined : decoded;
}

/** RFC 3986 percent-encoding, so that a space is %20 and never a plus sign. */
export function encodeParams(entries: Iterable<readonly [string, string | undefined]>): string {
  let text = '';
  for (const [name, value] of entries) {
    if (value === undefined) continue;
    text += `${text === '' ? '' : '&'}${encodeURIComponent(name)}=${encodeURIComponent(value.toWellFormed())}`;
  }
  return text;
}

/** A form body may hold what an address cannot: encoded alike, both fit into a Location and are measured alike. */
export function inAddress(raw: string): string {
  return raw.replace(/[^\x21\x22\x24-\x7e]+/g, part => encodeURIComponent(part.toWellFormed()));
}

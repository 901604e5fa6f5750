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
  if (raw === '') return NOTHING;
  const values = new Map<string, string>();
  let faults: Map<string, ParamFault['kind']> | undefined;
  const fault = (name: string, kind: ParamFault['kind']) => {
    faults ??= new Map();
    faults.set(name, kind);
    values.set(name, '');
  };
  for (const pair of raw.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    if (name === undefined) continue;
    const value = equals < 0 ? '' : decode(pair.slice(equals + 1));
    if (values.has(name)) fault(name, 'duplicated');
    else if (value === undefined) fault(name, 'malformed');
    else values.set(name, value);
  }
  return {
    get: name => values.get(name) || undefined,
    fault: names => {
      const name = faults && names.find(known => faults?.has(known));
      const kind = name === undefined ? undefined : faults?.get(name);
      return name === undefined || kind === undefined ? undefined : { name, kind };
    },
  };
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

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

export function parseParams(raw: string): Params {
  const values = new Map<string, string>();
  const faults = new Map<string, ParamFault['kind']>();
  const seen = new Set<string>();
  for (const pair of raw.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    if (name === undefined) continue;
    const value = equals < 0 ? '' : decode(pair.slice(equals + 1));
    if (seen.has(name)) {
      faults.set(name, 'duplicated');
      values.delete(name);
      continue;
    }
    seen.add(name);
    if (value === undefined) faults.set(name, 'malformed');
    else if (value !== '') values.set(name, value);
  }
  return {
    get: name => values.get(name),
    fault: names => {
      if (faults.size === 0) return undefined;
      for (const name of names) {
        const kind = faults.get(name);
        if (kind) return { name, kind };
      }
      return undefined;
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

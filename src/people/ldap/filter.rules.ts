import { element, octets, TAG } from './ber.rules.ts';

/**
 * Pure: filters of searches as operators write them (RFC 4515), with places such as `{username}` for values. The text is read once, without
 * the values; they are put into what was read, as bytes that nothing reads again. So no value can become a part of the filter.
 */
export type Filter =
  | { readonly kind: 'and' | 'or'; readonly of: readonly Filter[] }
  | { readonly kind: 'not'; readonly of: Filter }
  | { readonly kind: 'present'; readonly attribute: string }
  | { readonly kind: keyof typeof COMPARISONS; readonly attribute: string; readonly value: Value }
  | { readonly kind: 'substrings'; readonly attribute: string; readonly pieces: readonly Value[] }
  | {
      readonly kind: 'extensible';
      readonly attribute: string;
      readonly isOfDn: boolean;
      readonly rule: string | undefined;
      readonly value: Value;
    };

/** Bytes, and the names of places. */
type Value = readonly (Buffer | { readonly place: string })[];

export type FilterValues = Readonly<Record<string, string | Buffer>>;

export class FilterFault extends Error {
  override readonly name = 'FilterFault';
}

const COMPARISONS = { equal: 0xa3, atLeast: 0xa5, atMost: 0xa6, approximate: 0xa8 } as const;
const MAX_DEPTH = 20;

export function parseFilter(text: string): Filter {
  const reader = { text: text.trim(), at: 0 };
  const filter = readFilter(reader, 0);
  if (reader.at !== reader.text.length) throw new FilterFault('has something after its last parenthesis');
  return filter;
}

/** Continues "the filter …". Undefined: it is one, with this place in it. */
export function filterFault(text: string, place: string): string | undefined {
  try {
    parseFilter(text);
  } catch (fault) {
    if (fault instanceof FilterFault) return fault.message;
    throw fault;
  }
  return text.includes(`{${place}}`) ? undefined : `must have {${place}} in it`;
}

interface Reader {
  readonly text: string;
  at: number;
}

function readFilter(reader: Reader, depth: number): Filter {
  if (depth > MAX_DEPTH) throw new FilterFault(`must not be nested more than ${MAX_DEPTH} times`);
  take(reader, '(');
  const filter = readInner(reader, depth);
  take(reader, ')');
  return filter;
}

function readInner(reader: Reader, depth: number): Filter {
  const sign = reader.text[reader.at];
  if (sign === '!') {
    reader.at++;
    return { kind: 'not', of: readFilter(reader, depth + 1) };
  }
  if (sign !== '&' && sign !== '|') return readItem(reader);
  reader.at++;
  const of: Filter[] = [];
  while (reader.text[reader.at] === '(') of.push(readFilter(reader, depth + 1));
  if (of.length === 0) throw new FilterFault(`must have a filter after ${sign}`);
  return { kind: sign === '&' ? 'and' : 'or', of };
}

const ITEM = /([A-Za-z0-9.;-]*)((?::dn)?)((?::[A-Za-z0-9.-]+)?)(=|>=|<=|~=|:=)([^()]*)/y;

function readItem(reader: Reader): Filter {
  ITEM.lastIndex = reader.at;
  const match = ITEM.exec(reader.text);
  if (!match) throw new FilterFault(`is not understood at "${reader.text.slice(reader.at, reader.at + 20)}"`);
  reader.at = ITEM.lastIndex;
  const [, attribute = '', dn = '', rule = '', sign = '', text = ''] = match;
  if (sign === ':=') {
    if (attribute === '' && rule === '') throw new FilterFault('has a comparison without an attribute');
    const named = rule === '' ? undefined : rule.slice(1);
    return { kind: 'extensible', attribute, isOfDn: dn !== '', rule: named, value: readValue(text) };
  }
  if (dn !== '' || rule !== '' || attribute === '')
    throw new FilterFault('has a comparison without an attribute, or a matching rule without :=');
  if (sign === '>=') return { kind: 'atLeast', attribute, value: readValue(text) };
  if (sign === '<=') return { kind: 'atMost', attribute, value: readValue(text) };
  if (sign === '~=') return { kind: 'approximate', attribute, value: readValue(text) };
  if (text === '*') return { kind: 'present', attribute };
  if (!text.includes('*')) return { kind: 'equal', attribute, value: readValue(text) };
  return { kind: 'substrings', attribute, pieces: text.split('*').map(readValue) };
}

function take(reader: Reader, sign: string): void {
  if (reader.text[reader.at] !== sign) throw new FilterFault(`must have "${sign}" at character ${reader.at + 1}`);
  reader.at++;
}

/** RFC 4515 section 3: `\2a` is a byte. */
const PIECES = /\{([a-z]+)\}|\\([0-9a-fA-F]{2})|[^\\{]+|[\\{]/g;

function readValue(text: string): Value {
  return [...text.matchAll(PIECES)].map(([piece, place, byte]) => {
    if (place !== undefined) return { place };
    if (byte !== undefined) return Buffer.from(byte, 'hex');
    if (piece === '\\') throw new FilterFault('must have two hexadecimal digits after each backslash');
    return Buffer.from(piece);
  });
}

export function encodeFilter(filter: Filter, values: FilterValues): Buffer {
  switch (filter.kind) {
    case 'and':
      return element(0xa0, ...filter.of.map(each => encodeFilter(each, values)));
    case 'or':
      return element(0xa1, ...filter.of.map(each => encodeFilter(each, values)));
    case 'not':
      return element(0xa2, encodeFilter(filter.of, values));
    case 'present':
      return octets(filter.attribute, 0x87);
    case 'substrings':
      return substrings(filter.attribute, filter.pieces, values);
    case 'extensible':
      return element(
        0xa9,
        ...(filter.rule === undefined ? [] : [octets(filter.rule, 0x81)]),
        ...(filter.attribute === '' ? [] : [octets(filter.attribute, 0x82)]),
        octets(filled(filter.value, values), 0x83),
        ...(filter.isOfDn ? [Buffer.from([0x84, 1, 0xff])] : []),
      );
    default:
      return element(COMPARISONS[filter.kind], octets(filter.attribute), octets(filled(filter.value, values)));
  }
}

function substrings(attribute: string, pieces: readonly Value[], values: FilterValues): Buffer {
  const parts = pieces.flatMap((piece, index) => {
    const tag = index === 0 ? 0x80 : index === pieces.length - 1 ? 0x82 : 0x81;
    return piece.length === 0 ? [] : [octets(filled(piece, values), tag)];
  });
  return element(0xa4, octets(attribute), element(TAG.sequence, ...parts));
}

function filled(value: Value, values: FilterValues): Buffer {
  return Buffer.concat(
    value.map(piece => {
      if (Buffer.isBuffer(piece)) return piece;
      const given = Object.hasOwn(values, piece.place) ? values[piece.place] : undefined;
      if (given === undefined) throw new FilterFault(`has the place {${piece.place}}, for which there is no value`);
      return typeof given === 'string' ? Buffer.from(given) : given;
    }),
  );
}

/** The same filter for anybody whom it could find: `(uid={username})` becomes `(uid=*)`. */
export function forAnybody(text: string, place: string): string {
  return text.replaceAll(`{${place}}`, '*');
}

export function equalTo(attribute: string, value: Buffer): Filter {
  return { kind: 'equal', attribute, value: [value] };
}

export const ANYTHING: Filter = { kind: 'present', attribute: 'objectClass' };

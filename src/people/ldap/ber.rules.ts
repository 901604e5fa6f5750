/**
 * Pure: the Basic Encoding Rules as LDAP restricts them (RFC 4511 section 5.1): tags of one byte, definite lengths. Every length is held
 * against the bytes that are there before anything is read.
 */
export interface Element {
  readonly tag: number;
  readonly content: Buffer;
}

/** What a directory sent is no LDAP. */
export class BerFault extends Error {
  override readonly name = 'BerFault';
}

export const TAG = { boolean: 0x01, integer: 0x02, octets: 0x04, enumerated: 0x0a, sequence: 0x30, set: 0x31 } as const;

export function element(tag: number, ...parts: readonly Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([Buffer.from([tag, ...lengthBytes(length)]), ...parts]);
}

function lengthBytes(length: number): readonly number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 + bytes.length, ...bytes];
}

export function octets(value: string | Buffer, tag: number = TAG.octets): Buffer {
  return element(tag, typeof value === 'string' ? Buffer.from(value) : value);
}

/** From 0 on, below 2³¹: LDAP has no others. */
export function integer(value: number, tag: number = TAG.integer): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  const first = bytes.findIndex((byte, index) => index === 3 || byte !== 0);
  const isNegative = (bytes[first] ?? 0) >= 0x80;
  return element(tag, bytes.subarray(isNegative ? first - 1 : first));
}

export function boolean(value: boolean): Buffer {
  return element(TAG.boolean, Buffer.from([value ? 0xff : 0]));
}

/** A length of four bytes is the most that RFC 4511 leaves room for (2³¹ - 1). */
const MAX_LENGTH_BYTES = 4;

interface Head {
  readonly tag: number;
  readonly start: number;
  readonly length: number;
}

/** Undefined: not all of it is there yet. */
function headAt(bytes: Buffer, offset: number): Head | undefined {
  const tag = bytes[offset];
  const first = bytes[offset + 1];
  if (tag === undefined || first === undefined) return undefined;
  if ((tag & 0x1f) === 0x1f) throw new BerFault('a tag has several bytes');
  if (first < 0x80) return { tag, start: offset + 2, length: first };
  const count = first - 0x80;
  if (count === 0 || count > MAX_LENGTH_BYTES) throw new BerFault('a length is indefinite or too large');
  if (bytes.length < offset + 2 + count) return undefined;
  return { tag, start: offset + 2 + count, length: bytes.readUIntBE(offset + 2, count) };
}

/** How many bytes the message at the beginning has. Undefined: its head is not complete yet. */
export function messageLength(bytes: Buffer, maxBytes: number): number | undefined {
  const [tag] = bytes;
  if (tag !== undefined && tag !== TAG.sequence) throw new BerFault('a message begins with another tag');
  const head = headAt(bytes, 0);
  if (!head) return undefined;
  const total = head.start + head.length;
  if (total > maxBytes) throw new BerFault(`a message has more than ${maxBytes} bytes`);
  return total;
}

/** The elements that fill these bytes. */
export function elementsOf(bytes: Buffer): readonly Element[] {
  const found: Element[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    const head = headAt(bytes, offset);
    if (!head || head.start + head.length > bytes.length) throw new BerFault('an element is longer than what it is in');
    found.push({ tag: head.tag, content: bytes.subarray(head.start, head.start + head.length) });
    offset = head.start + head.length;
  }
  return found;
}

/** The content of the next element, which has to have this tag. */
export function contentOf(found: Element | undefined, tag: number): Buffer {
  if (found?.tag !== tag) throw new BerFault(`an element of the tag ${tag} is missing`);
  return found.content;
}

export function integerOf(found: Element | undefined, tag: number = TAG.integer): number {
  const content = contentOf(found, tag);
  if (content.length === 0 || content.length > 4) throw new BerFault('an integer has no byte, or more than four');
  return content.readIntBE(0, content.length);
}

/** A reader of DER (X.690) for the two parts of a certificate that name its holder. OpenSSL has parsed the certificate before. */
export interface Element {
  readonly tag: number;
  readonly content: Buffer;
  /** With tag and length. */
  readonly whole: Buffer;
}

/** The elements in these bytes, one after the other. Throws where they are not whole. */
export function elementsIn(bytes: Buffer): readonly Element[] {
  const found: Element[] = [];
  for (let at = 0; at < bytes.length; ) {
    const element = elementAt(bytes, at);
    found.push(element);
    at += element.whole.length;
  }
  return found;
}

const MAX_LENGTH_BYTES = 4;

function elementAt(bytes: Buffer, start: number): Element {
  const tag = bytes[start];
  const first = bytes[start + 1];
  // A tag of several bytes is in no name.
  if (tag === undefined || first === undefined || (tag & 0x1f) === 0x1f) throw new Error('not DER');
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  const begin = start + 2 + lengthBytes;
  if (lengthBytes > MAX_LENGTH_BYTES || begin > bytes.length) throw new Error('not DER');
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(start + 2, lengthBytes);
  const end = begin + length;
  if (first === 0x80 || end > bytes.length) throw new Error('not DER');
  return { tag, content: bytes.subarray(begin, end), whole: bytes.subarray(start, end) };
}

/** X.690 section 8.19: the dotted form of an object identifier. */
export function readOid(content: Buffer): string {
  const numbers: number[] = [];
  let value = 0;
  for (const byte of content) {
    value = value * 128 + (byte & 0x7f);
    if (byte >= 0x80) continue;
    numbers.push(value);
    value = 0;
  }
  const [first = 0, ...rest] = numbers;
  const root = Math.min(Math.floor(first / 40), 2);
  return [root, first - root * 40, ...rest].join('.');
}

/** The string types of X.520. Undefined: the value is of another type, and has no text. */
export function readText({ tag, content }: Element): string | undefined {
  switch (tag) {
    case UTF8_STRING:
      return content.toString('utf8');
    case NUMERIC_STRING:
    case PRINTABLE_STRING:
    case IA5_STRING:
      return content.toString('latin1');
    case BMP_STRING:
      return content.length % 2 === 0 ? Buffer.from(content).swap16().toString('utf16le') : undefined;
    default:
      return undefined;
  }
}

const UTF8_STRING = 0x0c;
const NUMERIC_STRING = 0x12;
const PRINTABLE_STRING = 0x13;
const IA5_STRING = 0x16;
const BMP_STRING = 0x1e;

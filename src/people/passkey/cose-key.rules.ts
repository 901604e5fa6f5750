import { createPublicKey, type JsonWebKeyInput } from 'node:crypto';

/**
 * Public keys of passkeys: COSE keys (RFC 9052 section 7) of the algorithms that passkeys may have here. A key
 * that no signature can be verified with is found here, and not at the first login.
 */

export type Jwk = JsonWebKeyInput['key'];
type CoseKey = ReadonlyMap<number, number | Buffer>;

const [KTY, ALG] = [1, 3];

/** By algorithm, as a JWK, with exactly the parameters of its type (RFC 9053 sections 7.1 and 7.2, RFC 8230 section 4). */
const FORMS: ReadonlyMap<number, (key: CoseKey) => Jwk | undefined> = new Map([
  [-7, es256],
  [-8, ed25519],
  [-257, rs256],
]);

/** Undefined: it can be used. Otherwise what is wrong with it. */
export function coseKeyFault(bytes: Buffer): string | undefined {
  const key = readMap(bytes);
  if (!key) return 'must be a COSE key';
  const form = FORMS.get(key.get(ALG) as number);
  if (!form) return 'must be a key for ES256 (-7), EdDSA (-8) or RS256 (-257)';
  const jwk = form(key);
  return jwk !== undefined && isKey(jwk) ? undefined : 'is no public key of its algorithm';
}

/** The same key as a JWK; undefined: it has none of these forms. */
export function jwkOfCose(bytes: Buffer): Jwk | undefined {
  const key = readMap(bytes);
  return key && FORMS.get(key.get(ALG) as number)?.(key);
}

function es256(key: CoseKey): Jwk | undefined {
  const [x, y] = [coordinate(key, -2), coordinate(key, -3)];
  if (key.size !== 5 || key.get(KTY) !== 2 || key.get(-1) !== 1) return undefined;
  return x !== undefined && y !== undefined ? { kty: 'EC', crv: 'P-256', x, y } : undefined;
}

function ed25519(key: CoseKey): Jwk | undefined {
  const x = coordinate(key, -2);
  if (key.size !== 4 || key.get(KTY) !== 1 || key.get(-1) !== 6) return undefined;
  return x === undefined ? undefined : { kty: 'OKP', crv: 'Ed25519', x };
}

const [MIN_MODULUS_BYTES, MAX_MODULUS_BYTES] = [256, 512];
const MAX_EXPONENT_BYTES = 4;

function rs256(key: CoseKey): Jwk | undefined {
  const [n, e] = [key.get(-1), key.get(-2)];
  if (key.size !== 4 || key.get(KTY) !== 3 || !Buffer.isBuffer(n) || !Buffer.isBuffer(e)) return undefined;
  if (n.length < MIN_MODULUS_BYTES || n.length > MAX_MODULUS_BYTES || e.length > MAX_EXPONENT_BYTES) return undefined;
  return { kty: 'RSA', n: n.toString('base64url'), e: e.toString('base64url') };
}

const COORDINATE_BYTES = 32;

function coordinate(key: CoseKey, label: number): string | undefined {
  const value = key.get(label);
  return Buffer.isBuffer(value) && value.length === COORDINATE_BYTES ? value.toString('base64url') : undefined;
}

/** Also whether the point is on the curve. */
function isKey(jwk: Jwk): boolean {
  try {
    createPublicKey({ key: jwk, format: 'jwk' });
    return true;
  } catch {
    return false;
  }
}

const [UNSIGNED, NEGATIVE, BYTES, MAP] = [0, 1, 2, 5];

/** A CBOR map (RFC 8949) from integers to integers and byte strings, of definite length, each label once, and nothing behind it. */
function readMap(bytes: Buffer): CoseKey | undefined {
  const reader = new Reader(bytes);
  const map = new Map<number, number | Buffer>();
  const head = reader.head();
  if (head?.major !== MAP) return undefined;
  for (let pair = 0; pair < head.value; pair++) {
    const [label, value] = [reader.item(), reader.item()];
    if (typeof label !== 'number' || value === undefined || map.has(label)) return undefined;
    map.set(label, value);
  }
  return reader.isAtEnd ? map : undefined;
}

class Reader {
  #at = 0;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  /** Undefined: the end, or a length of more than 16 bits, which no such key has. */
  head(): { readonly major: number; readonly value: number } | undefined {
    const first = this.#take(1)?.[0];
    if (first === undefined) return undefined;
    const [major, info] = [first >> 5, first & 31];
    if (info < 24) return { major, value: info };
    const more = info === 24 || info === 25 ? this.#take(info - 23) : undefined;
    return more && { major, value: more.readUIntBE(0, more.length) };
  }

  item(): number | Buffer | undefined {
    const head = this.head();
    if (head?.major === UNSIGNED) return head.value;
    if (head?.major === NEGATIVE) return -1 - head.value;
    return head?.major === BYTES ? this.#take(head.value) : undefined;
  }

  #take(length: number): Buffer | undefined {
    if (this.#at + length > this.#bytes.length) return undefined;
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }
}

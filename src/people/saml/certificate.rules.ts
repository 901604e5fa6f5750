import { createHash, type KeyObject, sign } from 'node:crypto';

/**
 * A self-signed certificate (RFC 5280) for a key of ours: identity providers take keys in no other form. It says nothing but the key, so it
 * has no extensions, and does not expire while it is used.
 */
export function selfSigned(
  { privateKey, publicKey }: { readonly privateKey: KeyObject; readonly publicKey: KeyObject },
  name: string,
  from: number,
): Buffer {
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const algorithm = sequence(SHA256_WITH_RSA, der(0x05));
  const subject = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(name)))));
  const validity = sequence(time(from), time(from + VALID_SECONDS));
  // The highest bit is not set: a serial number is positive.
  const serial = createHash('sha256').update(spki).digest().subarray(0, 16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  const content = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, serial),
    algorithm,
    subject,
    validity,
    subject,
    spki,
  );
  const signature = sign('sha256', content, privateKey);
  return sequence(content, algorithm, der(0x03, Buffer.concat([Buffer.of(0), signature])));
}

const VALID_SECONDS = 20 * 365 * 24 * 3600;
/** 1.2.840.113549.1.1.11 and 2.5.4.3. */
const SHA256_WITH_RSA = Buffer.from('06092a864886f70d01010b', 'hex');
const COMMON_NAME = Buffer.from('0603550403', 'hex');

/** X.690 section 8.1: the tag, the length, the content. */
function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), content]);
  const bytes = Buffer.from(length.toString(16).padStart(length < 0x100 ? 2 : 4, '0'), 'hex');
  return Buffer.concat([Buffer.of(tag, 0x80 | bytes.length), bytes, content]);
}

function sequence(...contents: readonly Uint8Array[]): Buffer {
  return der(0x30, ...contents);
}

/** GeneralizedTime. */
function time(seconds: number): Buffer {
  const text = new Date(seconds * 1000).toISOString().replace(/[-:T]|\.\d+/g, '');
  return der(0x18, Buffer.from(text));
}

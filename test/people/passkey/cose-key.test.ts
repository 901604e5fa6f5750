import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, it } from 'node:test';
import { coseKeyFault } from '../../../src/people/passkey/cose-key.rules.ts';
import { cbor } from '../../build/passkey.ts';

const jwkOf = (key: KeyObject) => {
  const jwk = key.export({ format: 'jwk' });
  return (name: 'x' | 'y' | 'n' | 'e') => Buffer.from(jwk[name] ?? '', 'base64url');
};
const p256 = jwkOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey);
const ed25519 = jwkOf(generateKeyPairSync('ed25519').publicKey);
const rsa = jwkOf(generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey);
const short = jwkOf(generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey);

type Parameters = Readonly<Record<number, unknown>>;

const ES256: Parameters = { 1: 2, 3: -7, [-1]: 1, [-2]: p256('x'), [-3]: p256('y') };
const EDDSA: Parameters = { 1: 1, 3: -8, [-1]: 6, [-2]: ed25519('x') };
const RS256: Parameters = { 1: 3, 3: -257, [-1]: rsa('n'), [-2]: rsa('e') };

/** The names of an object are texts; the labels of a COSE key are numbers. */
const encoded = (parameters: Parameters) =>
  cbor(new Map(Object.entries(parameters).map(([label, value]) => [Number(label), value])));
const faultOf = (parameters: Parameters) => coseKeyFault(encoded(parameters));

describe('the public key of a passkey from another system (RFC 9052 section 7, RFC 9053)', () => {
  it('is taken for each algorithm that passkeys have here', () => {
    for (const key of [ES256, EDDSA, RS256]) assert.equal(faultOf(key), undefined);
  });

  it('of another algorithm, or without one, is refused', () => {
    for (const alg of [-35, -36, -37, -47, 0, 7])
      assert.match(faultOf({ ...ES256, 3: alg }) ?? '', /must be a key for/);
    const { 3: _, ...without } = ES256;
    assert.match(faultOf(without) ?? '', /must be a key for/);
  });

  it('that is no key of its algorithm is refused: type, curve, lengths, a point off the curve, other parameters', () => {
    const wrong: Parameters[] = [
      { ...ES256, 1: 1 },
      { ...ES256, [-1]: 2 },
      { ...ES256, [-2]: Buffer.alloc(32, 1) },
      { ...ES256, [-2]: p256('x').subarray(1) },
      { ...ES256, [-3]: 7 },
      { ...ES256, [-4]: Buffer.alloc(32, 1) },
      { ...EDDSA, [-1]: 4 },
      { ...EDDSA, [-2]: Buffer.alloc(57) },
      { ...RS256, [-1]: short('n') },
      { ...RS256, [-1]: Buffer.alloc(513, 255) },
      { ...RS256, [-2]: Buffer.alloc(5, 1) },
      { ...EDDSA, 3: -7 },
    ];
    for (const key of wrong) assert.equal(faultOf(key), 'is no public key of its algorithm', JSON.stringify(key));
  });

  it('that is no CBOR map of numbers and bytes is refused, however it is cut, prolonged or repeated', () => {
    const whole = encoded(ES256);
    for (let length = 0; length < whole.length; length++) {
      assert.equal(coseKeyFault(whole.subarray(0, length)), 'must be a COSE key', String(length));
    }
    const junk = [
      Buffer.concat([whole, Buffer.from([0])]),
      cbor([1, 2]),
      cbor({ alg: -7 }),
      cbor(new Map([[1, 'text']])),
      Buffer.from([0xbf, 0x01, 0x02, 0xff]),
      Buffer.from([0xa2, 0x03, 0x26, 0x03, 0x26]),
      Buffer.from([0xbb, 255, 255, 255, 255, 255, 255, 255, 255]),
    ];
    for (const bytes of junk) assert.equal(coseKeyFault(bytes), 'must be a COSE key', bytes.toString('hex'));
  });
});

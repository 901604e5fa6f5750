import assert from 'node:assert/strict';
import { createHmac as createNodeHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createHmac } from '../../src/keys/hmac.ts';

describe('HMAC-SHA-256 (RFC 2104)', () => {
  it('gives the values of RFC 4231, test cases 1 and 2', () => {
    assert.equal(
      createHmac(Buffer.alloc(20, 0x0b))('Hi There').toString('hex'),
      'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
    );
    assert.equal(
      createHmac(Buffer.from('Jefe'))('what do ya want for nothing?').toString('hex'),
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    );
  });

  it('gives what node:crypto gives, for every key of a block and every text', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), fc.string({ unit: 'binary', maxLength: 300 }), (bytes, text) => {
        const key = Buffer.from(bytes);
        assert.deepEqual(createHmac(key)(text), createNodeHmac('sha256', key).update(text).digest());
      }),
    );
  });

  it('refuses a key longer than a block', () => {
    assert.throws(() => createHmac(Buffer.alloc(65)), /longer than a block/);
  });
});

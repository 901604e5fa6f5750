import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { createKeyRing } from '../../../src/platform/crypto/key-ring.ts';
import { fc } from '../../build/random.ts';

const OLD = 'the secret of last year, thirty-two bytes';
const NEW = 'the secret of this year, thirty-two bytes';
const ring = (...secrets: string[]) => createKeyRing(secrets, { bytes: randomBytes });
const plain = Buffer.from('what nobody may read');

describe('sealing', () => {
  it('opens what it sealed, for every content and context', () => {
    const own = ring(NEW);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.string(), (bytes, context) => {
        const sealed = own.seal('signing key', Buffer.from(bytes), context);
        assert.deepEqual(own.open('signing key', sealed, context), Buffer.from(bytes));
      }),
    );
  });

  it('does not show what it seals, and never seals it the same way twice', () => {
    const own = ring(NEW);
    const [one, two] = [own.seal('signing key', plain, 'c'), own.seal('signing key', plain, 'c')];
    assert.equal(one.includes(plain), false);
    assert.notDeepEqual(one, two);
  });

  it('does not open in another context', () => {
    const own = ring(NEW);
    const sealed = own.seal('signing key', plain, 'signing key shop a');
    for (const context of ['', 'signing key', 'signing key shop a ', 'signing key bank a'])
      assert.equal(own.open('signing key', sealed, context), undefined);
  });

  it('does not open when any bit was changed, cut off or added', () => {
    const own = ring(NEW);
    const sealed = own.seal('signing key', plain, 'c');
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const changed = Buffer.from(sealed);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      assert.equal(own.open('signing key', changed, 'c'), undefined, `bit ${bit}`);
    }
    for (let length = 0; length < sealed.length; length++)
      assert.equal(own.open('signing key', sealed.subarray(0, length), 'c'), undefined);
    assert.equal(own.open('signing key', Buffer.concat([sealed, Buffer.of(0)]), 'c'), undefined);
  });

  it('does not open, nor throw, for whatever bytes come', () => {
    const own = ring(NEW);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), bytes => {
        assert.equal(own.open('signing key', bytes, 'c'), undefined);
      }),
    );
  });

  it('does not open for another purpose: a key for each, not only a context', () => {
    const own = ring(NEW);
    for (const context of ['', 'c']) {
      assert.equal(own.open('pending request', own.seal('signing key', plain, context), context), undefined);
      assert.equal(own.open('signing key', own.seal('pending request', plain, context), context), undefined);
      assert.deepEqual(own.open('pending request', own.seal('pending request', plain, context), context), plain);
    }
  });

  it('opens a signing key that the first release sealed', () => {
    const sealed = 'vppbZv5/zPiKbx65Lcp91E14HpulDyRdrAHrwr+dr1YaVlVETINXmoac7UYJMbjtlzK3Bg==';
    assert.deepEqual(ring(OLD).open('signing key', Buffer.from(sealed, 'base64'), 'signing key shop kid-1'), plain);
  });

  it('does not open under another secret', () => {
    assert.equal(ring(OLD).open('signing key', ring(NEW).seal('signing key', plain, 'c'), 'c'), undefined);
  });
});

describe('a list of secrets, newest first', () => {
  it('opens what any of them sealed, and seals with the first', () => {
    const sealedBefore = ring(OLD).seal('signing key', plain, 'c');
    const during = ring(NEW, OLD);
    assert.deepEqual(during.open('signing key', sealedBefore, 'c'), plain);
    const sealedNow = during.seal('signing key', plain, 'c');
    assert.deepEqual(ring(NEW).open('signing key', sealedNow, 'c'), plain);
    assert.equal(ring(OLD).open('signing key', sealedNow, 'c'), undefined);
    assert.equal(ring(NEW).open('signing key', sealedBefore, 'c'), undefined);
  });

  it('checks client secrets of any of them, and hashes with the first', () => {
    const before = ring(OLD).hashClientSecret('shop', 'web', 's3cret');
    const during = ring(NEW, OLD);
    assert.equal(during.verifyClientSecret('shop', 'web', 's3cret', before), true);
    const now = during.hashClientSecret('shop', 'web', 's3cret');
    assert.equal(ring(NEW).verifyClientSecret('shop', 'web', 's3cret', now), true);
    assert.equal(ring(NEW).verifyClientSecret('shop', 'web', 's3cret', before), false);
  });

  it('gives the successor under each, in order (row 41)', () => {
    const [oldest] = ring(OLD).successorsOf('shop', 'token');
    const [newest] = ring(NEW).successorsOf('shop', 'token');
    assert.deepEqual(ring(NEW, OLD).successorsOf('shop', 'token'), [newest, oldest]);
    assert.notDeepEqual(newest, oldest);
  });

  it('knows nonces of any of them, and makes them with the first (RFC 9449 section 8)', () => {
    const before = ring(OLD).nonceMac('step');
    const during = ring(NEW, OLD);
    assert.equal(during.verifyNonceMac('step', before), true);
    assert.equal(during.nonceMac('step'), ring(NEW).nonceMac('step'));
    assert.equal(ring(NEW).verifyNonceMac('step', before), false);
    assert.equal(during.verifyNonceMac('next', before), false);
    assert.equal(during.verifyNonceMac('step', ''), false);
  });

  it('must not be empty', () => {
    assert.throws(() => ring(), /needs at least one secret/);
  });
});

describe('client secrets (row 33)', () => {
  const own = ring(NEW);
  const stored = own.hashClientSecret('shop', 'web', 's3cret');

  it('are right for their own client of their own application only', () => {
    assert.equal(own.verifyClientSecret('shop', 'web', 's3cret', stored), true);
    for (const [app, client, secret] of [
      ['shop', 'web', 's3cre'],
      ['shop', 'web', 's3cret '],
      ['shop', 'web', 'S3cret'],
      ['shop', 'web', ''],
      ['shop', 'mobile', 's3cret'],
      ['bank', 'web', 's3cret'],
      ['shopweb', '', 's3cret'],
    ] as const)
      assert.equal(own.verifyClientSecret(app, client, secret, stored), false, `${app} ${client} ${secret}`);
  });

  it('are wrong for a hash that is damaged or of unknown form', () => {
    const [id = '', mac = ''] = stored.split(':');
    for (const expected of [
      '',
      ':',
      mac,
      `${id}:`,
      `${id}:${mac.slice(1)}`,
      `00000000:${mac}`,
      `${id}:${mac}AAAA`,
      `zz:${mac}`,
    ])
      assert.equal(own.verifyClientSecret('shop', 'web', 's3cret', expected), false, expected);
  });

  it('are not in their hash', () => {
    assert.equal(stored.includes('s3cret'), false);
    assert.equal(stored.includes(Buffer.from('s3cret').toString('base64url')), false);
  });

  it('the parts cannot be moved from one to the other', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), fc.string(), (a, b, c, d) => {
        const safe = [a, b, c, d].every(part => !part.includes('\0'));
        fc.pre(safe && (a !== c || b !== d));
        assert.notEqual(own.hashClientSecret('shop', a, b), own.hashClientSecret('shop', c, d));
      }),
    );
  });
});

describe('successors of refresh tokens (row 41)', () => {
  it('are the same on every node, and differ by token and application', () => {
    const [one] = ring(NEW).successorsOf('shop', 'a');
    assert.deepEqual(ring(NEW).successorsOf('shop', 'a'), [one]);
    assert.equal(Buffer.from(one ?? '', 'base64url').length, 32);
    for (const [app, token] of [
      ['shop', 'b'],
      ['bank', 'a'],
      ['shopa', ''],
    ] as const)
      assert.notDeepEqual(ring(NEW).successorsOf(app, token), [one]);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as otpauth from 'otpauth';
import { codeAt, decodeBase32, encodeBase32, keyUri, matchingStep, stepAt } from '../../../src/people/totp/rules.ts';
import { fc } from '../../build/random.ts';

const RFC_KEY = Buffer.from('12345678901234567890');

describe('one-time passwords by time', () => {
  /** RFC 6238 appendix B has eight digits; six are the last of them (RFC 4226 section 5.3). */
  const vectors: readonly (readonly [seconds: number, code: string])[] = [
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ];
  for (const [seconds, code] of vectors) {
    it(`gives the code of RFC 6238 appendix B at ${seconds} s`, () => {
      assert.equal(codeAt(RFC_KEY, stepAt(seconds)), code.slice(2));
    });
  }

  it('agrees with an independent library for any key and time, in code, key text and address', () => {
    const keys = fc.uint8Array({ minLength: 10, maxLength: 64 });
    fc.assert(
      fc.property(keys, fc.integer({ min: 0, max: 4_000_000_000 }), (bytes, seconds) => {
        const secret = new otpauth.Secret({ buffer: new Uint8Array(bytes).buffer });
        const app = new otpauth.TOTP({ secret, issuer: 'Gate: house', label: 'alice@example.com' });
        assert.equal(codeAt(bytes, stepAt(seconds)), app.generate({ timestamp: seconds * 1000 }));
        assert.equal(encodeBase32(bytes), secret.base32);
        assert.deepEqual(decodeBase32(secret.base32), Buffer.from(bytes));
        const scanned = otpauth.URI.parse(keyUri(secret.base32, 'Gate: house', 'alice@example.com'));
        assert(scanned instanceof otpauth.TOTP);
        assert.equal(scanned.generate({ timestamp: seconds * 1000 }), app.generate({ timestamp: seconds * 1000 }));
      }),
    );
  });

  const now = 1_800_000_015;
  const current = stepAt(now);
  it('are accepted one step before and after, and no further (RFC 6238 section 5.2)', () => {
    const accepted = [-2, -1, 0, 1, 2].map(
      around => matchingStep(RFC_KEY, codeAt(RFC_KEY, current + around), now, undefined) === current + around,
    );
    assert.deepEqual(accepted, [false, true, true, true, false]);
  });
  it('are accepted once: not in the last accepted step, nor before it', () => {
    const matching = (around: number) => matchingStep(RFC_KEY, codeAt(RFC_KEY, current + around), now, current);
    assert.deepEqual([matching(-1), matching(0), matching(1)], [undefined, undefined, current + 1]);
  });
  it('may be typed with the space that apps show, and nothing else fits', () => {
    const code = codeAt(RFC_KEY, current);
    assert.equal(matchingStep(RFC_KEY, `${code.slice(0, 3)} ${code.slice(3)} `, now, undefined), current);
    for (const wrong of ['', '0', code.slice(1), `${code}0`, `１${code.slice(1)}`, 'abcdef', '-'.repeat(9999)]) {
      assert.equal(matchingStep(RFC_KEY, wrong, now, undefined), undefined, wrong.slice(0, 20));
    }
  });
  it('keys are read as people copy them, and nothing that is no base32', () => {
    assert.deepEqual(decodeBase32('gezd gnbv-GY3TQOJQ===='), Buffer.from('1234567890'));
    for (const wrong of ['', '====', 'ABC1', 'ÄBC', 'A'.repeat(8).concat('0')])
      assert.equal(decodeBase32(wrong), undefined);
  });
});

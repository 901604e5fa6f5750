import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hashRecoveryCode, newRecoveryCodes } from '../../../src/people/recovery-codes/codes.ts';
import { systemRandom } from '../../../src/platform/crypto/random.ts';

const SUB = 'u-1';

describe('recovery codes', () => {
  const codes = newRecoveryCodes(systemRandom);

  it('attack: a stolen hash cannot be searched: each code has 112 random bits or more (ASVS 6.5.2)', () => {
    assert.equal(new Set(codes).size, 10);
    for (const code of codes) assert.ok(code.replaceAll('-', '').length * Math.log2(32) >= 112, code);
    const seen = new Set(Array.from({ length: 200 }, () => newRecoveryCodes(systemRandom).join('')).join(''));
    seen.delete('-');
    assert.equal(seen.size, 32);
  });

  it('are typed in groups of four, without symbols that look alike', () => {
    for (const code of codes) assert.match(code, /^[0-9a-hjkmnp-tv-z]{4}(-[0-9a-hjkmnp-tv-z]{4})+$/);
  });

  it('are read as people type them: upper case, spaces, O for 0, I and L for 1', () => {
    const code = '01ab-cdef-ghjk-mnpq-rstv-wxyz';
    for (const typed of [code, 'OLAB CDEF GHJK MNPQ RSTV WXYZ', ' oiabcdefghjkmnpqrstvwxyz ']) {
      assert.equal(hashRecoveryCode(SUB, typed), hashRecoveryCode(SUB, code));
    }
    assert.notEqual(hashRecoveryCode('u-2', code), hashRecoveryCode(SUB, code), 'the user is part of the hash');
  });
});

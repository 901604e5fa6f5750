import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { shownUserCode, typedUserCode, userCodeFrom } from '../../../src/oauth/device/rules.ts';

describe('user codes (RFC 8628 section 6.1)', () => {
  it('have eight letters without vowels, each as likely as the others', () => {
    const counts = new Map<string, number>();
    for (let code = 0; code < 5000; code++) {
      for (const letter of userCodeFrom(randomBytes(32)) ?? '') counts.set(letter, (counts.get(letter) ?? 0) + 1);
    }
    assert.equal([...counts.keys()].sort().join(''), 'BCDFGHJKLMNPQRSTVWXZ');
    // 40,000 letters: 2,000 of each; ten standard deviations are 436.
    for (const [letter, count] of counts) assert(Math.abs(count - 2000) < 436, `${letter}: ${count}`);
  });

  it('bytes that would favour some letters are left out', () => {
    assert.equal(userCodeFrom(Buffer.alloc(32, 240)), undefined);
    assert.equal(userCodeFrom(Buffer.alloc(32, 255)), undefined);
    assert.deepEqual([userCodeFrom(Buffer.alloc(32, 239)), userCodeFrom(Buffer.alloc(7))], ['ZZZZZZZZ', undefined]);
  });

  it('are shown in two halves, and read however they are typed', () => {
    assert.equal(shownUserCode('WDJBMJHT'), 'WDJB-MJHT');
    for (const typed of [
      'WDJB-MJHT',
      'wdjbmjht',
      ' wdjb mjht ',
      'WDJB—MJHT',
      'W D J B - M J H T',
      'ＷＤＪＢ－ＭＪＨＴ',
      'wdjb.mjht',
    ]) {
      assert.equal(typedUserCode(typed), 'WDJBMJHT', typed);
    }
  });

  it('nothing else is one', () => {
    for (const typed of [
      '',
      'WDJB',
      'WDJB-MJH',
      'WDJB-MJHTT',
      'WDJB-MJHA',
      '1234-5678',
      'WDJB_MJHT',
      `${' '.repeat(40)}WDJBMJHT`,
    ]) {
      assert.equal(typedUserCode(typed), undefined, typed);
    }
  });
});

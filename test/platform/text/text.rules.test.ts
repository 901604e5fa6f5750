import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readJwtPart } from '../../../src/platform/crypto/jwt-part.rules.ts';
import { isAllText } from '../../../src/platform/text/text.rules.ts';

describe('what no store can have (RFC 7493 section 2.1) is found in every string of a value', () => {
  const half = '\ud83d';
  for (const value of ['a\0', half, ['x', ['a\0']], { a: { b: half } }, { 'a\0': 1 }, { a: [{ [half]: 1 }] }]) {
    it(`in ${JSON.stringify(value)}`, () => assert.equal(isAllText(value), false));
  }

  it('and nothing in anything else', () => {
    assert.equal(isAllText({ a: ['😀', 1, null, true, { '': 'b\n' }] }), true);
  });

  it('so a JWT has none; what only looks like an escape is not one', () => {
    const part = (text: string) => Buffer.from(text).toString('base64url');
    assert.equal(readJwtPart(part('{"sub":"a\\u0000"}')), undefined);
    assert.equal(readJwtPart(part('{"sub":"\\uD83D"}')), undefined);
    assert.deepEqual(readJwtPart(part('{"sub":"\\\\u0000 \\ud83d\\ude00"}')), { sub: '\\u0000 😀' });
  });
});

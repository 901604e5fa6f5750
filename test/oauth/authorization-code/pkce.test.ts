import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { challengeOf, isVerifier, readChallenge } from '../../../src/oauth/authorization-code/pkce.rules.ts';

const of = (length: number) => 'a'.repeat(length);

describe('PKCE (RFC 7636, interface 4.1 and 8)', () => {
  it('makes the challenge of RFC 7636 appendix B', () => {
    assert.equal(
      challengeOf('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'),
      'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    );
  });

  for (const [text, good] of [
    [of(43), true],
    [`${of(39)}-_A9`, true],
    [of(42), false],
    [of(44), false],
    [`${of(43)}=`, true],
    [`${of(43)}==`, false],
    [`=${of(43)}`, false],
    [`${of(42)}=`, false],
    [`${of(42)}+`, false],
    [`${of(42)}/`, false],
    [`${of(42)}.`, false],
    [`${of(42)}~`, false],
    [`${of(43)}\n`, false],
    [`\n${of(43)}`, false],
    [`${of(42)}é`, false],
    ['', false],
  ] as const) {
    it(`${JSON.stringify(text)} is ${good ? 'a' : 'no'} challenge (row 19)`, () => {
      assert.equal(readChallenge(text), good ? text.replace('=', '') : undefined);
    });
  }

  for (const [text, good] of [
    [of(42), false],
    [of(43), true],
    [of(128), true],
    [of(129), false],
    [`${of(39)}-._~`, true],
    [`${of(43)}+`, false],
    [`${of(43)}=`, true],
    [`${of(42)}==`, true],
    [`${of(126)}==`, true],
    [`${of(127)}==`, false],
    [`${of(43)}===`, false],
    [`${of(20)}=${of(23)}`, false],
    [`${of(43)} `, false],
    [`${of(43)}\n`, false],
    [`${of(43)}é`, false],
  ] as const) {
    it(`${JSON.stringify(text)} is ${good ? 'a' : 'no'} verifier`, () => {
      assert.equal(isVerifier(text), good);
      if (!good)
        assert.equal(readChallenge(challengeOf(text)), undefined, 'a malformed verifier must prove no challenge');
    });
  }

  it('hashes a padded verifier as it was sent (row 19)', () => {
    const verifier = `${of(43)}=`;
    assert.equal(challengeOf(verifier), createHash('sha256').update(verifier).digest('base64url'));
    assert.notEqual(challengeOf(verifier), challengeOf(of(43)));
  });
});

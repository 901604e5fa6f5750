import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { challengeOf, isVerifier, readChallenge } from '../../../src/oauth/authorization-code/pkce.rules.ts';
import { anyCharacter, fc } from '../../build/random.ts';

const verifier = fc.stringMatching(/^[A-Za-z0-9._~-]{43,128}$/);

describe('PKCE, for all inputs', () => {
  it('every verifier has the challenge of RFC 7636 section 4.2', () => {
    fc.assert(
      fc.property(verifier, text => {
        assert.equal(isVerifier(text), true);
        assert.equal(challengeOf(text), createHash('sha256').update(text, 'ascii').digest('base64url'));
        assert.equal(readChallenge(challengeOf(text)), challengeOf(text));
      }),
    );
  });

  it('two verifiers never prove the same challenge', () => {
    fc.assert(
      fc.property(verifier, verifier, (one, two) => {
        assert.equal(challengeOf(one) === challengeOf(two), one === two);
      }),
    );
  });

  it('what is no verifier proves no challenge at all', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 200 }), text => {
        assert.equal(readChallenge(challengeOf(text)) !== undefined, isVerifier(text));
      }),
    );
  });

  it('a challenge has 43 characters and nothing around them but padding', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9_-]{43}$/), fc.string({ minLength: 1 }), (challenge, extra) => {
        assert.equal(readChallenge(challenge), challenge);
        assert.equal(readChallenge(challenge + extra), extra === '=' ? challenge : undefined);
        assert.equal(readChallenge(extra + challenge), undefined);
        assert.equal(readChallenge(challenge.slice(1)), undefined);
      }),
    );
  });
});

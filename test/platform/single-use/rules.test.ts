import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertionFault, useOfAssertion } from '../../../src/oauth/client-authentication/client-assertion.rules.ts';
import { isCurrentStep, nonceStep, timeFault, useOfProof } from '../../../src/oauth/dpop/rules.ts';
import type { SignedJwt } from '../../../src/platform/crypto/signed-jwt.rules.ts';
import { endsOfUse, type UsedAt } from '../../../src/platform/single-use/rules.ts';
import { fc } from '../../build/random.ts';

const EXPECTED = { clientId: 'web', issuer: 'https://id.example', algs: ['ES256'] };
/** Each kind of JWT that counts once: whether one with this time is valid at a moment, and what is remembered of it. */
const kinds: Readonly<Record<string, { isValid(time: number, now: number): boolean; use(time: number): UsedAt }>> = {
  'an assertion, by its expiry (RFC 7523 section 3)': {
    isValid: (exp, now) => assertionFault(anAssertion(exp), EXPECTED, now) === undefined,
    use: exp => useOfAssertion(anAssertion(exp)),
  },
  'a DPoP proof, by iat (RFC 9449 section 11.1)': {
    isValid: (iat, now) => timeFault(iat, now) === undefined,
    use: iat => useOfProof(nonceStep(iat)),
  },
  'a DPoP proof, by the time of its nonce (RFC 9449 section 8)': {
    isValid: (time, now) => isCurrentStep(nonceStep(time), now),
    use: time => useOfProof(nonceStep(time)),
  },
};

function anAssertion(exp: number): SignedJwt {
  const claims = { iss: 'web', sub: 'web', aud: 'https://id.example', exp, jti: 'one' };
  return { alg: 'ES256', claims } as unknown as SignedJwt;
}

const now = fc.integer({ min: 1_700_000_000, max: 1_900_000_000 });
const near = fc.integer({ min: -1000, max: 1000 });

for (const [name, { isValid, use }] of Object.entries(kinds)) {
  describe(`how long a jti is remembered: ${name}`, () => {
    it('property: two with the same jti that are valid at one moment share a block', () => {
      let compared = 0;
      fc.assert(
        fc.property(now, near, near, (now, one, other) => {
          if (!isValid(now + one, now) || !isValid(now + other, now)) return;
          compared++;
          const ends = endsOfUse(use(now + one));
          assert(
            endsOfUse(use(now + other)).some(end => ends.includes(end)),
            `${now}: ${one} and ${other}`,
          );
        }),
        { numRuns: 20_000 },
      );
      assert(compared > 100, `${compared} pairs were valid together`);
    });

    it('property: none is valid after it is forgotten, and none is remembered for longer than two hours', () => {
      fc.assert(
        fc.property(now, near, (now, time) => {
          if (!isValid(now + time, now)) return;
          for (const end of endsOfUse(use(now + time))) assert(now < end && end < now + 7200, `${end - now} s`);
        }),
        { numRuns: 20_000 },
      );
    });
  });
}

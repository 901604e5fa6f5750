import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  currentKeys,
  deletableKeys,
  isNextKeyDue,
  KEY_RETENTION_SECONDS,
  KEY_SET_MAX_AGE_SECONDS,
  PUBLISH_AHEAD_SECONDS,
  publishedKeys,
  ROTATION_INTERVAL_SECONDS,
  type ScheduledKey,
  signingKey,
} from '../../../src/oauth/signing-keys/rules.ts';
import { fc } from '../../build/random.ts';

const key = (signFrom: number, alg = 'ES256', retiredAt?: number, hasSigned = true): ScheduledKey => ({
  alg,
  signFrom,
  retiredAt,
  hasSigned,
});
const waiting = (signFrom: number, alg?: string, retiredAt?: number) => key(signFrom, alg, retiredAt, false);
const TTL = 3600;
const IN_USE = ['ES256', 'RS256'];

describe('which key signs', () => {
  const [old, present, next, rsa] = [key(0), key(100), key(200), key(150, 'RS256')];
  const keys = [old, present, next, rsa];
  const cases: readonly (readonly [number, ScheduledKey | undefined])[] = [
    // Another node's clock is ahead of ours: the first to begin will do.
    [-1, old],
    [0, old],
    [99, old],
    [100, present],
    [199, present],
    [200, next],
    [1e9, next],
  ];
  for (const [now, expected] of cases) {
    it(`at ${now}: the one of its algorithm that began last`, () => {
      assert.equal(signingKey(keys, 'ES256', now), expected);
      assert.equal(signingKey([...keys].reverse(), 'ES256', now), expected);
    });
  }
  it('none of an algorithm that has none', () => assert.equal(signingKey(keys, 'EdDSA', 1e9), undefined));
});

describe('which keys are shown', () => {
  const [old, present, rsa] = [key(0), key(100_000), key(0, 'RS256')];
  const keys = [old, present, rsa];

  it('one that does not sign yet', () => assert(publishedKeys(keys, 0, TTL, IN_USE).includes(present)));
  it('an old one until its last token has expired and every cached key set with it', () => {
    const end = present.signFrom + TTL + KEY_SET_MAX_AGE_SECONDS;
    assert.deepEqual(publishedKeys(keys, end - 1, TTL, IN_USE), [old, present, rsa]);
    assert.deepEqual(publishedKeys(keys, end, TTL, IN_USE), [present, rsa]);
  });
  it('the newest of each algorithm, however old', () => {
    assert.deepEqual(publishedKeys(keys, 1e12, TTL, IN_USE), [present, rsa]);
  });
  it('remembered after that for hints, then forgotten', () => {
    const end = present.signFrom + TTL + KEY_RETENTION_SECONDS;
    assert.deepEqual(deletableKeys(keys, end - 1, TTL), []);
    assert.deepEqual(deletableKeys(keys, end, TTL), [old]);
  });
});

describe('keys of an algorithm that no client uses any more (issue 10 B.3)', () => {
  const [old, present, next, rsa] = [
    key(0, 'ES256', 5000),
    key(100, 'ES256', 5000),
    waiting(9000, 'ES256', 5000),
    key(0, 'RS256'),
  ];
  const keys = [old, present, next, rsa];

  it('are shown until their last token has expired and every cached key set with it', () => {
    const end = 5000 + TTL + KEY_SET_MAX_AGE_SECONDS;
    assert.deepEqual(publishedKeys(keys, end - 1, TTL, ['RS256']), [present, rsa]);
    assert.deepEqual(publishedKeys(keys, end, TTL, IN_USE), [rsa]);
  });
  it('are remembered after that for hints, then forgotten', () => {
    const end = 5000 + TTL + KEY_RETENTION_SECONDS;
    assert.deepEqual(deletableKeys([present, next, rsa], end - 1, TTL), []);
    assert.deepEqual(deletableKeys([present, next, rsa], end, TTL), [present, next]);
  });
  it('sign for nodes that have not heard of it, while what they sign expires before the key goes', () => {
    assert.equal(signingKey(keys, 'ES256', 5000 + KEY_SET_MAX_AGE_SECONDS - 1), present);
    assert.equal(signingKey(keys, 'ES256', 5000 + KEY_SET_MAX_AGE_SECONDS), undefined);
  });
  it('do not count when the algorithm comes back: it gets a new key, which signs at once', () => {
    assert.deepEqual(currentKeys(keys, 'ES256'), []);
    assert.equal(isNextKeyDue(keys, 'ES256', 5001), true);
    const fresh = key(5001);
    assert.deepEqual(currentKeys([...keys, fresh], 'ES256'), [fresh]);
    assert.equal(signingKey([...keys, fresh], 'ES256', 5001), fresh);
    assert.equal(isNextKeyDue([...keys, fresh], 'ES256', 5001), false);
    assert.deepEqual(publishedKeys([...keys, fresh], 1e12, TTL, IN_USE), [rsa, fresh]);
  });
});

describe('keys that have signed nothing (issue 10 B.3)', () => {
  it('are shown while their algorithm is in use, before they sign and then', () => {
    const keys = [key(0), waiting(9000), waiting(0, 'RS256')];
    assert.deepEqual(publishedKeys(keys, 0, TTL, ['ES256', 'RS256']), keys);
    assert.deepEqual(publishedKeys(keys, 0, TTL, ['ES256']), [keys[0], keys[1]]);
    assert.deepEqual(publishedKeys(keys, 9000, TTL, []), [keys[0]]);
  });
  it('are not shown once they have retired, also when the algorithm comes back', () => {
    const keys = [key(0, 'ES256', 5000), waiting(9000, 'ES256', 5000), waiting(5001)];
    assert.deepEqual(publishedKeys(keys, 5001, TTL, ['ES256']), [keys[0], keys[2]]);
  });
});

describe('when the next key is due', () => {
  const due = 500 + ROTATION_INTERVAL_SECONDS - PUBLISH_AHEAD_SECONDS;
  it('in time to be published before its predecessor has signed for ROTATION_INTERVAL_SECONDS', () => {
    assert.equal(isNextKeyDue([key(500)], 'ES256', due - 1), false);
    assert.equal(isNextKeyDue([key(500)], 'ES256', due), true);
  });
  it('at once, where there is none', () => assert.equal(isNextKeyDue([key(500, 'RS256')], 'ES256', 0), true));
  it('not while one is waiting to sign', () => {
    assert.equal(isNextKeyDue([key(500), key(due + PUBLISH_AHEAD_SECONDS)], 'ES256', due + 1), false);
  });
  it('for each algorithm by itself', () => {
    const keys = [key(500), key(500 + ROTATION_INTERVAL_SECONDS, 'RS256')];
    assert.deepEqual([isNextKeyDue(keys, 'ES256', due), isNextKeyDue(keys, 'RS256', due)], [true, false]);
  });
});

describe('a client that caches a key set no longer than its max-age never meets an unknown key', () => {
  it('is published for longer ahead than it may be cached', () =>
    assert(PUBLISH_AHEAD_SECONDS > KEY_SET_MAX_AGE_SECONDS));

  it('for any gaps between rotations, token lifetimes, and moments of signing, fetching and verifying', () => {
    const some = fc.record({
      gaps: fc.array(fc.integer({ min: 1, max: 200 * 86_400 }), { minLength: 1, maxLength: 8 }),
      lifetime: fc.integer({ min: 1, max: 30 * 86_400 }),
      signed: fc.oneof(
        fc.record({ at: fc.nat(1000 * 86_400) }),
        // The moments that matter: around a change of key.
        fc.record({ change: fc.nat(8), by: fc.integer({ min: -100, max: 100 }) }),
      ),
      remaining: fc.oneof(fc.nat(5), fc.nat(30 * 86_400)),
      cachedFor: fc.integer({ min: 0, max: KEY_SET_MAX_AGE_SECONDS - 1 }),
    });
    fc.assert(
      fc.property(some, ({ gaps, lifetime, signed, remaining, cachedFor }) => {
        // A key is in the store from PUBLISH_AHEAD_SECONDS before it signs; the first from the moment it is needed.
        let signFrom = 0;
        const keys = [
          { ...key(0), storedAt: -PUBLISH_AHEAD_SECONDS },
          ...gaps.map(gap => {
            signFrom += gap;
            return { ...key(signFrom), storedAt: signFrom - PUBLISH_AHEAD_SECONDS };
          }),
        ];
        const signedAfter =
          'at' in signed ? signed.at : Math.max(0, (keys[signed.change % keys.length]?.signFrom ?? 0) + signed.by);
        const storedAt = (now: number) => keys.filter(one => one.storedAt <= now);
        const signer = signingKey(storedAt(signedAfter), 'ES256', signedAfter);
        assert(signer);
        const verifiedAt = signedAfter + Math.max(0, lifetime - 1 - remaining);
        const fetchedAt = verifiedAt - cachedFor;
        const shown = publishedKeys(storedAt(fetchedAt), fetchedAt, lifetime, IN_USE);
        assert(shown.includes(signer), `signed at ${signedAfter}, key set of ${fetchedAt}, verified at ${verifiedAt}`);
        const forgotten = deletableKeys(storedAt(verifiedAt), verifiedAt, lifetime);
        assert(!forgotten.includes(signer));
      }),
      { numRuns: 2000 },
    );
  });
});

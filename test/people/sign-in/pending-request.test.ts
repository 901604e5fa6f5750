import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createPendingRequests, type Pending } from '../../../src/people/sign-in/pending-request.ts';
import { SPENT_LOGIN_RETENTION_SECONDS } from '../../../src/platform/store/retention.ts';
import { fixedClock } from '../../build/clock.ts';

const START = 1_800_000_000;

describe('a pending request that waits again and again', () => {
  const prolongedFor = (pending: Pending<object>, seconds: number): number => {
    const clock = fixedClock(START);
    const unused = {} as never;
    const { prolonged } = createPendingRequests({ clock, ring: unused, random: unused, cookies: unused });
    let last = pending;
    for (let waited = 0; waited < seconds && clock.now() < last.expiresAt; waited += 100) {
      const longer = prolonged(last);
      assert(longer.expiresAt >= last.expiresAt, 'it never gets shorter');
      last = longer;
      clock.advance(100);
    }
    return last.expiresAt - START;
  };
  const begun: Pending<object> = {
    ...{ id: 'id', purpose: 'sign-in', content: {}, browser: 'browser' },
    ...{ begunAt: START, expiresAt: START + 600 },
  };

  it('lives half an hour longer each time', () => {
    assert.equal(prolongedFor(begun, 100), 1800);
    assert.equal(prolongedFor(begun, 200), 1900);
  });

  it('is over before the record of a login that was spent is purged', () => {
    assert.equal(prolongedFor(begun, 7200), 3000);
    assert(3000 < SPENT_LOGIN_RETENTION_SECONDS);
  });

  it('has the same bound where an earlier version of the server has begun it', () => {
    const { begunAt: _, ...earlier } = begun;
    assert.equal(prolongedFor(earlier, 7200), 3000);
  });
});

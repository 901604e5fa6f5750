import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judgePoll, type PollFacts } from '../../../src/oauth/polled-grant/rules.ts';

describe('polls (RFC 8628 section 3.5, CIBA section 11)', () => {
  const FACTS: PollFacts = { clientId: 'tv', state: 'pending', expiresAt: 600, interval: 5, polledAt: undefined };
  const cases: [string, Partial<PollFacts>, number, string][] = [
    ['the first', {}, 0, 'pending'],
    ['after the interval', { polledAt: 100 }, 105, 'pending'],
    ['a second early: the clock has whole seconds', { polledAt: 100 }, 104, 'pending'],
    ['too early', { polledAt: 100 }, 103, 'slowDown'],
    ['of another client', { clientId: 'other' }, 0, 'invalid'],
    ['of another client, after the decision', { clientId: 'other', state: 'approved' }, 0, 'invalid'],
    ['after the approval', { state: 'approved' }, 0, 'approved'],
    ['too early, after the approval', { state: 'approved', polledAt: 100 }, 100, 'approved'],
    ['after the denial', { state: 'denied' }, 0, 'denied'],
    ['after the tokens', { state: 'redeemed' }, 0, 'redeemed'],
    ['at the end', {}, 600, 'expired'],
    ['at the end, approved', { state: 'approved' }, 600, 'expired'],
    ['at the end, denied', { state: 'denied' }, 600, 'denied'],
  ];
  for (const [name, over, now, verdict] of cases) {
    it(`${name}: ${verdict}`, () => assert.equal(judgePoll({ ...FACTS, ...over }, 'tv', now), verdict));
  }
});

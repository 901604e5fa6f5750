import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  judgeRefresh,
  type PresentedRefresh,
  type RefreshFacts,
  type RefreshVerdict,
} from '../../../src/oauth/refresh/rules.ts';

const NOW = 1_000_000;
const FAMILY_TTL = 500_000;
const fresh: RefreshFacts = {
  clientId: 'web',
  scope: ['openid', 'email'],
  expiresAt: NOW + 1,
  rotatedAt: undefined,
  successorUsed: false,
  familyStartedAt: NOW - FAMILY_TTL + 1,
};
const rotated = (ago: number): RefreshFacts => ({ ...fresh, rotatedAt: NOW - ago });
const usedUp = (ago: number): RefreshFacts => ({ ...rotated(ago), successorUsed: true });
const asked: PresentedRefresh = {
  clientId: 'web',
  scope: undefined,
  rotation: true,
  grace: 30,
  familyTtl: FAMILY_TTL,
};

const rows: readonly (readonly [string, RefreshFacts, PresentedRefresh, RefreshVerdict])[] = [
  ['a good one', fresh, asked, 'rotate'],
  ['a good one of a client without rotation', fresh, { ...asked, rotation: false }, 'keep'],
  ['one for less than was granted (row 39)', fresh, { ...asked, scope: ['email'] }, 'rotate'],
  ['one for all that was granted, in another order', fresh, { ...asked, scope: ['email', 'openid'] }, 'rotate'],
  ['one for more than was granted (row 39)', fresh, { ...asked, scope: ['email', 'phone'] }, 'scopeWider'],
  ['one of another client', fresh, { ...asked, clientId: 'other' }, 'invalid'],
  ['the moment it expires', { ...fresh, expiresAt: NOW }, asked, 'expired'],
  ['the moment its family ends (row 41)', { ...fresh, familyStartedAt: NOW - FAMILY_TTL }, asked, 'expired'],
  ['one of a family that would have ended by now', fresh, { ...asked, familyTtl: 60 }, 'expired'],
  ['a reuse after the end of the family', { ...rotated(60), familyStartedAt: 0 }, asked, 'expired'],
  ['a retry at once (row 41)', rotated(0), asked, 'repeat'],
  ['a retry in the last second of grace', rotated(29), asked, 'repeat'],
  ['a retry for more than was granted', rotated(5), { ...asked, scope: ['phone'] }, 'scopeWider'],
  ['a retry after rotation was turned off', rotated(5), { ...asked, rotation: false }, 'repeat'],
  ['a retry after the grace period (row 41)', rotated(30), asked, 'reused'],
  ['a retry at once, after the successor was used (row 41)', usedUp(0), asked, 'reused'],
  ['a retry for more, after the successor was used', usedUp(5), { ...asked, scope: ['phone'] }, 'reused'],
  ['a retry by another client, after the successor was used', usedUp(5), { ...asked, clientId: 'x' }, 'invalid'],
  ['a retry by a clock that is behind, after the successor was used', usedUp(-40), asked, 'reused'],
  ['a retry without grace, in the same second', rotated(0), { ...asked, grace: 0 }, 'reused'],
  ['a retry without grace, by a clock that is behind', rotated(-1), { ...asked, grace: 0 }, 'reused'],
  ['a reuse for more than was granted', rotated(60), { ...asked, scope: ['phone'] }, 'reused'],
  ['a reuse by a client whose rotation was turned off', rotated(60), { ...asked, rotation: false }, 'reused'],
  ['a reuse by another client, which must not end the family', rotated(60), { ...asked, clientId: 'x' }, 'invalid'],
];

describe('what a refresh token is worth (rows 39 and 41, RFC 9700 section 4.14.2)', () => {
  for (const [what, token, presented, verdict] of rows) {
    it(`${what}: ${verdict}`, () => {
      assert.equal(judgeRefresh(token, presented, NOW), verdict);
    });
  }
});

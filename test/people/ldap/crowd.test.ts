import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GROUPS } from '../../build/directory.ts';
import { claimsOfTyped, staffed } from './staffed.ts';

/** More groups than the directory gives in one answer (its sizelimit is 500). */
const groups = Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`group-${n + 1}`, ['crowd-49999']]));

describe('a directory of 50,000 people', () => {
  const it1 = staffed({
    content: { crowd: 50_000, groups },
    provider: () => ({ groups: { search_base: GROUPS, map: { 'group-1': 'first', 'group-600': 'last' } } }),
  });

  it('finds one of them', async () => {
    const claims = await claimsOfTyped(it1.server, 'crowd-777', 'of the crowd');
    assert.equal(claims.name, 'Crowd 777');
  });

  it('gives groups in pages (RFC 2696)', async () => {
    const { groups: found } = await claimsOfTyped(it1.server, 'crowd-49999', 'of the crowd');
    assert.deepEqual(found.toSorted(), ['first', 'last']);
  });
});

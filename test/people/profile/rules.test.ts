import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { changeProfile, EMPTY_PROFILE } from '../../../src/people/profile/rules.ts';

describe('a change of a profile', () => {
  const nobody = { sub: 's', updatedAt: 1, ...EMPTY_PROFILE };

  it('leaves a profile with the same fields where nothing is different, so that nothing is written', () => {
    assert.deepStrictEqual(changeProfile(nobody, { groups: [] }), nobody);
    const member = { ...nobody, membership: { groups: ['staff'] } };
    assert.deepStrictEqual(changeProfile(member, { groups: ['staff'], roles: {} }), member);
  });

  it('removes the last group', () => {
    const member = { ...nobody, membership: { groups: ['staff'] } };
    assert.equal(changeProfile(member, { groups: [] }).membership, undefined);
  });
});

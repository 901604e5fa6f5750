import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PAUSED, type Sign, stateOf } from '../../../src/directory/providers/state.rules.ts';

const signs = (...reasons: readonly (string | readonly [reason: string, detail: string] | undefined)[]): Sign[] =>
  reasons.map((said, index) => {
    const [reason, detail] = typeof said === 'object' ? said : [said, undefined];
    return { time: 100 - index, reason, detail };
  });

describe('whether a provider works, by its last sign-ins, the newest first', () => {
  it('nothing is known without one', () => {
    assert.deepEqual(stateOf([]), { state: 'unused' });
    assert.deepEqual(stateOf(signs('cancelled')), { state: 'unused' }, 'somebody turned back');
  });

  it('works since the newest success; a person who may not sign in here was identified there', () => {
    assert.deepEqual(stateOf(signs(undefined, 'refused')), { state: 'works', since: 100 });
    assert.deepEqual(stateOf(signs('cancelled', 'disabled', 'refused')), { state: 'works', since: 99 });
    assert.deepEqual(stateOf(signs('wrong')), { state: 'works', since: 100 }, 'a directory knows the person');
  });

  it('fails since the first of the failures that follow each other, and says what the last one said', () => {
    assert.deepEqual(stateOf(signs(['refused', 'invalid_client'], 'cancelled', ['unavailable', 'x'], undefined)), {
      ...{ state: 'fails', since: 98, failures: 2 },
      ...{ reason: 'refused', detail: 'invalid_client' },
    });
  });

  it('that it was left alone for a while says nothing of what is wrong', () => {
    const state = stateOf(signs(['unavailable', PAUSED], ['unavailable', 'connect ECONNREFUSED']));
    assert.equal(state.state === 'fails' && state.detail, 'connect ECONNREFUSED');
  });
});

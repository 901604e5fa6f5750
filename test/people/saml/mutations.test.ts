import { it } from 'node:test';
import { changedResponses } from './mutations.ts';

/** test/long has more of them. */
it('whatever is accepted of a response that was changed after it was signed says what was signed', () => {
  changedResponses(2000);
});

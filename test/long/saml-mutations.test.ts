import { it } from 'node:test';
import { changedResponses } from '../people/saml/mutations.ts';

it('whatever is accepted of a response that was changed after it was signed says what was signed', () => {
  changedResponses(200_000);
});

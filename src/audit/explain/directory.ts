import type { Topic } from './explanation.ts';

/** Who signed in with a directory, and is asked about again (src/people/federation/recheck.ts). */
export const refreshPersonGone: Topic = ({ snapshot }) => {
  const { id = '', name = id, reason = 'nothing more is known' } = snapshot.facts?.provider ?? {};
  return {
    expected: `a person whom ${name} still lets in`,
    received: 'a refresh token of somebody who signed in there',
    difference: { kinds: ['person-gone'], text: `${name} was asked again, and said: ${reason}.` },
    fix: 'If the person should be let in, enable the entry there, then send the user through the login again.',
  };
};

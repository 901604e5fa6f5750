import { failureDefinition } from '../../failures.ts';
import type { Context, RowExplanation, Topic } from './explanation.ts';

/** What an identity provider said, or what of it did not hold. A reason that says what to do has that behind a colon. */
function told({ snapshot }: Context): RowExplanation {
  const { rule, cause, fix } = failureDefinition(snapshot.reason);
  const provider = snapshot.facts?.provider;
  if (!provider) return { expected: rule.en, received: cause, fix };
  const [what = '', ...todo] = (ANSWERS[provider.reason] ?? provider.reason).split(': ');
  return {
    expected: rule.en,
    received: `an answer of the identity provider ${provider.id}`,
    difference: { kinds: [snapshot.reason], text: sentence(what) },
    fix: todo.length === 0 ? fix : sentence(todo.join(': ')),
  };
}

/** Of federation/attempt.ts and rules.ts. */
const ANSWERS: Readonly<Record<string, string>> = {
  unknown: 'this browser waits for no such answer: begin at the application, in one browser, and allow its cookies',
  otherProvider: 'the sign-in of this browser went to another provider',
  replayed: 'the sign-in has had its answer before',
  disabled: 'the account of the person is disabled',
  unknownPerson:
    'the person has no account here, and create_users is false: link the person to an account, or set create_users',
  otherPerson: 'the request is for another user than the person who signed in there',
  alreadyLinked: 'the person there belongs to another account here',
};

function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.?!]$/.test(begun) ? begun : `${begun}.`;
}

export const providerUnavailable: Topic = told;
export const providerRefused: Topic = told;
export const providerAnswerInvalid: Topic = told;
export const providerAnswerUnexpected: Topic = told;
export const providerPersonRefused: Topic = told;

import { adviceOn, sentence } from '../../people/federation/advice.rules.ts';
import type { Context, RowExplanation, Topic } from './explanation.ts';

/** Sign-ins with identity providers: what the provider said, which rule of ours, and what to do. */

export const providerUnavailable: Topic = context =>
  told(context, 'unavailable', provider => ({
    expected: `an answer of ${provider}, in five seconds for all that a sign-in asks of it`,
    verb: 'did not answer',
  }));

export const providerRefused: Topic = context =>
  told(context, 'refused', provider => ({
    expected: `${provider} accepts the request, and this server as its client`,
    verb: 'refused',
  }));

export const providerAnswerInvalid: Topic = context =>
  told(context, 'invalid', provider => ({
    expected: `an answer that ${provider} has signed, for this server and for this sign-in, and that has not expired`,
    verb: 'sent an answer that does not hold',
  }));

export const providerSignOutRefused: Topic = context =>
  told(context, 'invalid', provider => ({
    expected: `a request that ${provider} has signed, for this address, for the first time, and that has not expired`,
    verb: 'asked to sign somebody out, and that does not hold',
  }));

interface Words {
  readonly expected: string;
  readonly verb: string;
}

function told({ snapshot }: Context, kind: string, words: (provider: string) => Words): RowExplanation {
  const { reason, provider } = providerOf(snapshot);
  const { meaning, fix, isGeneral } = adviceOn({ kind, reason });
  const { expected, verb } = words(provider);
  const isCode = /^[\w.-]+$/.test(reason);
  return {
    expected,
    received: isCode && kind === 'refused' ? `${provider} answered ${reason}` : `${provider} ${verb}: ${reason}`,
    difference: { kinds: [isCode ? reason : snapshot.reason], text: isGeneral ? sentence(reason) : meaning.en },
    fix: fix.en,
  };
}

function providerOf({ facts }: Context['snapshot']) {
  const { id = 'the provider', name, reason = 'nothing is known of it' } = facts?.provider ?? {};
  return { provider: name ?? id, reason };
}

export const providerPersonRefused: Topic = ({ snapshot }) => {
  const { reason, provider } = providerOf(snapshot);
  const { meaning, fix } = adviceOn({ kind: reason, reason });
  return {
    expected: `a person of ${provider} who has an account here, or may get one`,
    received: `somebody whom ${provider} has identified`,
    difference: { kinds: [reason], text: meaning.en },
    fix: fix.en,
  };
};

const UNEXPECTED: Readonly<Record<string, readonly [text: string, fix: string]>> = {
  replayed: [
    'The answer was taken already: the page was reloaded, or opened again by Back.',
    'Nothing, if the person is signed in. Otherwise start again at the application.',
  ],
  otherProvider: [
    'This sign-in was begun with another provider.',
    'Start again at the application. If it happens again, somebody mixes answers of providers up: look at the events of this address.',
  ],
};
const NOT_WAITING = [
  'No sign-in of this browser waits for it: it began more than half an hour ago, in another browser, or without cookies.',
  'Start again at the application, in one browser. Cookies must be allowed for this server, and its address be the same all the way.',
] as const;

export const providerAnswerUnexpected: Topic = ({ snapshot }) => {
  const { reason, provider } = providerOf(snapshot);
  const [text, fix] = UNEXPECTED[reason] ?? NOT_WAITING;
  return {
    expected: `an answer of ${provider} to a sign-in that waits in this browser`,
    received: 'an answer with another state',
    difference: { kinds: [reason === 'unknown' ? 'not-waiting' : reason], text },
    fix,
  };
};

import { isAllowed, scopesOf } from '../../oauth/token/scope.rules.ts';
import { MASK } from '../refusals/mask.ts';
import { misspeltName } from '../refusals/similar.ts';
import type { Context, Difference, Topic } from './explanation.ts';
import { clientText, listText, paramOf, paramText, shownParam } from './wording.ts';

export const scopeInvalid: Topic = context => {
  const { snapshot } = context;
  const granted = snapshot.facts?.grantedScope;
  const allowed = granted ?? snapshot.registration?.scope ?? [];
  const difference = whyRefused(context);
  const owner = granted ? 'was granted at the login' : `${clientText(context)} is registered for`;
  return {
    expected: `a part of what ${owner}: ${listText(allowed)}`,
    received: paramText(snapshot, 'scope'),
    difference,
    fix: FIXES[difference.kinds[0] ?? ''] ?? 'Leave the scope out of the request, or ask for allowed ones.',
  };
};

/** The scopes that the application had when it refused the request. */
function knownScopes({ snapshot, app }: Context): readonly string[] {
  const ofApis = snapshot.application?.apis?.flatMap(({ scopes }) => scopes) ?? [];
  return [...scopesOf({ code: app }), ...(snapshot.application?.userScopes ?? []), ...ofApis];
}

function whyRefused(context: Context): Difference {
  const { snapshot } = context;
  const known = knownScopes(context);
  const { detail, facts, registration } = snapshot;
  const parameter = paramOf(snapshot, 'scope')?.value;
  if (parameter && 'fault' in parameter && parameter.fault === 'malformed') {
    return { kinds: ['malformed'], text: 'Its percent-encoding is not valid UTF-8.' };
  }
  if (detail === undefined) return withoutWord(shownParam(snapshot, 'scope'));
  if (facts?.grantedScope && known.includes(detail)) {
    return { kinds: ['wider'], text: `The scope ${detail} was not granted at the login; a refresh can only narrow.` };
  }
  if (!known.includes(detail)) return unknownScope(detail, known);
  const isNotAllowed = registration && !isAllowed(detail, registration.scope);
  return isNotAllowed
    ? { kinds: ['not-allowed'], text: `The scope ${detail} is known, and not allowed to this client.` }
    : { kinds: ['not-allowed'], text: `The scope ${detail} is not allowed here.` };
}

/** No single word is at fault. */
function withoutWord(shown: string | undefined): Difference {
  const hasOpenid = shown === undefined || shown.split(' ').includes('openid');
  if (!hasOpenid) return { kinds: ['openid-missing'], text: 'response_type=id_token needs the scope openid.' };
  return { kinds: ['malformed'], text: 'The request names no scope, or one with characters that none may have.' };
}

function unknownScope(word: string, known: readonly string[]): Difference {
  const meant = misspeltName(word, known);
  if (meant !== undefined)
    return {
      kinds: ['misspelt'],
      text: `There is no scope ${word}; there is ${meant}.`,
      expected: meant,
      received: word,
    };
  if (word.includes(MASK))
    return { kinds: ['unknown'], text: 'There is no such scope. It looks random, so it is not kept.' };
  const separator = /[,;]/.test(word) ? ' Scopes are separated by spaces.' : '';
  return { kinds: ['unknown'], text: `There is no scope ${word}.${separator}` };
}

const FIXES: Readonly<Record<string, string>> = {
  misspelt: 'Correct the spelling; scopes are compared exactly.',
  unknown: `Ask for some of scopes_supported in the discovery document. A strict_oidc application ignores unknown ones.`,
  'not-allowed': 'Leave it out, or add it to the scope of the client if the client shall have these data of its users.',
  wider: 'Leave the scope out of the refresh, or send the user through an authorization request that asks for it.',
  'openid-missing': 'Add openid to the scope.',
};

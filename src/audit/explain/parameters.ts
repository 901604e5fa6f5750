import { exchangeTokenTypes } from '../../oauth/token-exchange/rules.ts';
import type { Difference, Topic } from './explanation.ts';
import type { Snapshot } from './snapshot.ts';
import { paramOf, paramText } from './wording.ts';

export const parameterMissing: Topic = ({ snapshot }) => {
  const name = snapshot.parameter ?? '';
  const isInUrl = snapshot.method === 'POST' && paramOf(snapshot, name)?.in === 'query';
  return {
    expected: `${name}, with a value`,
    received: paramText(snapshot, name),
    difference: isInUrl
      ? { kinds: ['in-url'], text: `${name} is in the URL, where it is not looked at.` }
      : { kinds: ['missing'], text: paramOf(snapshot, name) ? 'It was sent without a value.' : 'It was not sent.' },
    fix: isInUrl ? `Send ${name} in the form body.` : `Send ${name}.${WHY_NEEDED[name] ?? ''}`,
  };
};

const WHY_NEEDED: Readonly<Record<string, string>> = {
  nonce: ' An ID token in the redirect must be bound to the request (OpenID Connect Core section 3.2.2.1).',
  redirect_uri: ' It must be the one of the authorization request.',
  grant_type: ' It says which grant the request uses.',
};

const TOKEN_TYPES = exchangeTokenTypes.join(' or ');

const ALLOWED: Readonly<Record<string, string>> = {
  prompt: 'none alone, or some of login, consent and select_account',
  max_age: 'a whole number of seconds, 0 or more',
  claims: 'a JSON object of at most 4096 characters, with the members userinfo and id_token',
  id_token_hint: 'an ID token that this application issued, expired or not',
  subject_token_type: TOKEN_TYPES,
  actor_token_type: `${TOKEN_TYPES}, together with actor_token`,
  requested_token_type: `${TOKEN_TYPES}; jwt only where the API has no opaque tokens`,
  email: 'an e-mail address, such as name@example.com',
  username: 'at most 64 characters with at least one letter and no @, and not taken',
  password: 'long enough, not like the names around it, and not among the most common ones',
};

export const parameterInvalid: Topic = ({ snapshot }) => {
  const name = snapshot.parameter ?? '';
  return {
    expected: `${name}: ${ALLOWED[name] ?? 'percent-encoded UTF-8'}`,
    received: paramText(snapshot, name),
    difference: invalidValue(snapshot, name),
    fix: FIXES[name] ?? `Encode the value of ${name} as UTF-8, once.`,
  };
};

function invalidValue(snapshot: Snapshot, name: string): Difference {
  const value = paramOf(snapshot, name)?.value;
  if (value && 'fault' in value) return { kinds: ['malformed'], text: 'Its percent-encoding is not valid UTF-8.' };
  if (name === 'id_token_hint') return { kinds: ['hint'], text: hintFault(snapshot) };
  if (name === 'prompt') return { kinds: ['value'], text: 'A value is unknown, or none stands beside another.' };
  return { kinds: ['value'], text: 'The value is not an allowed one.' };
}

function hintFault(snapshot: Snapshot): string {
  const value = paramOf(snapshot, 'id_token_hint')?.value;
  const jwt = value && 'hidden' in value ? value.jwt : undefined;
  if (!jwt) return 'It is no JWT.';
  if (jwt.typ === 'at+jwt') return 'It is an access token, not an ID token.';
  return 'It was issued by another application or server, or its signature is not valid.';
}

const FIXES: Readonly<Record<string, string>> = {
  prompt: 'Send prompt=none alone, or leave none out.',
  max_age: 'Send max_age as a whole number of seconds.',
  claims: 'Build the value with a JSON library (OpenID Connect Core section 5.5).',
  subject_token_type: 'Exchange access tokens. Other tokens are not exchanged here (docs/token-exchange.md).',
  actor_token_type: 'Send actor_token and its type together, or neither.',
  requested_token_type: 'Leave requested_token_type out: the answer says what the token is.',
  email: 'The person types another address; the page says what is wrong.',
  username: 'The person chooses another name; the page says what is wrong.',
  password: 'The person chooses another password; the page says what is wrong (docs/decisions/passwords.md).',
  id_token_hint: 'Send the last ID token that this application issued for the user, or leave the parameter out.',
};

export const parameterDuplicated: Topic = ({ snapshot }) => {
  const name = snapshot.parameter ?? '';
  return {
    expected: `${name} once`,
    received: `${name} more than once`,
    difference: { kinds: ['repeated'], text: 'The parameter was repeated.' },
    fix: 'Send it once. A frequent reason is a parameter both in a configured URL and in the program.',
  };
};

export const introspectionTokenMissing: Topic = ({ snapshot }) => ({
  expected: 'token: the token to look at',
  received: paramText(snapshot, 'token'),
  difference: { kinds: ['missing'], text: 'The parameter was not sent, or has no value.' },
  fix: 'Send the token as the form parameter token.',
});

export const introspectionParameterRepeated: Topic = ({ snapshot }) => {
  const name = snapshot.parameter ?? '';
  const isInBoth = paramOf(snapshot, name)?.in === 'both';
  return {
    expected: `${name} once, in the body or in the query`,
    received: isInBoth ? `${name} in the body and in the query` : `${name} more than once, or badly encoded`,
    difference: { kinds: [isInBoth ? 'two-places' : 'repeated'], text: 'The parameter has no single value.' },
    fix: 'Send it in the body alone: addresses end up in log files.',
  };
};

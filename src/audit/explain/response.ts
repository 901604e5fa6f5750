import { isResponseMode } from '../../oauth/authorize/response-mode.rules.ts';
import { hasWord, isDocumented, neededGrant, readResponseType } from '../../oauth/authorize/response-type.rules.ts';
import { notAllowed } from './authorization.ts';
import type { Context, Difference, RowExplanation, Topic } from './explanation.ts';
import { clientText, listText, paramText, shownParam } from './wording.ts';

/** What /auth is asked to answer with, and how: response_type and response_mode. */

type Snapshot = Context['snapshot'];

const TYPES =
  'response_type: code, id_token or id_token token; or code id_token, code token, code id_token token, and none, where response_types of the client has it';

export const responseTypeMissing: Topic = ({ snapshot }) => ({
  expected: TYPES,
  received: paramText(snapshot, 'response_type'),
  difference: { kinds: ['missing'], text: 'The parameter was not sent, or has no value.' },
  fix: 'Send response_type=code.',
});

export const responseTypeUnsupported: Topic = ({ snapshot }) => {
  const sent = shownParam(snapshot, 'response_type');
  const type = readResponseType(sent);
  const finding = { expected: TYPES, received: paramText(snapshot, 'response_type') };
  if (type === undefined) return { ...finding, difference: typeFault(sent), fix: 'Use response_type=code, with PKCE.' };
  return {
    ...finding,
    difference: { kinds: ['unsupported'], text: `${type} is not among the response_types of the client.` },
    fix: 'Add it to the response_types of the client, or use response_type=code, with PKCE.',
  };
};

function typeFault(sent: string | undefined): Difference {
  return sent === 'token'
    ? { kinds: ['unsupported'], text: 'An access token without an ID token is not returned in a redirect.' }
    : { kinds: ['unknown'], text: 'It is none of these.' };
}

export const responseTypeNotAllowed: Topic = context => {
  const { snapshot } = context;
  const type = readResponseType(shownParam(snapshot, 'response_type')) ?? 'code';
  const { grantTypes = [], answers } = snapshot.registration ?? {};
  const received = paramText(snapshot, 'response_type');
  if (answers?.boundBy !== undefined && hasWord(type, 'token')) return boundTokens(received, answers.boundBy);
  const needed = neededGrant(type);
  if (!grantTypes.includes(needed)) return notAllowed(context, needed, received);
  return {
    expected: `a response_type that ${clientText(context)} is registered for: ${listText(answers?.types ?? [])}`,
    received,
    difference: { kinds: ['response-type'], text: `${type} is not among its response_types.` },
    fix: `Add ${type} to the response_types of the client, or use one of them.`,
  };
};

const boundTokens = (received: string, setting: string): RowExplanation => ({
  expected: 'a response_type without token',
  received,
  difference: {
    kinds: ['bound-tokens'],
    text: `The client has ${setting}, and a token that comes through the browser is bound to nothing.`,
  },
  fix: 'Use response_type=code: the token endpoint binds the token.',
});

export const responseModeInvalid: Topic = ({ snapshot }) => {
  const [expected, difference, fix = 'Leave response_mode out: each flow has a good default.'] = modeFault(snapshot);
  return { expected: `response_mode: ${expected}`, received: paramText(snapshot, 'response_mode'), difference, fix };
};

const IN_CLEAR = 'query, fragment or form_post';
const SIGNED = 'jwt, query.jwt, fragment.jwt or form_post.jwt';

function modeFault(snapshot: Snapshot): readonly [expected: string, difference: Difference, fix?: string] {
  const mode = shownParam(snapshot, 'response_mode') ?? 'query';
  const { answers } = snapshot.registration ?? {};
  const isJwt = mode === 'jwt' || (mode.endsWith('.jwt') && isResponseMode(mode));
  if (!isJwt && !isResponseMode(mode)) {
    return [`${IN_CLEAR}, or ${SIGNED}`, { kinds: ['unknown'], text: 'It is none of these.' }];
  }
  if (!isJwt && answers?.signedBy !== undefined)
    return [SIGNED, signedAlone(answers.signedBy), 'Send response_mode=jwt.'];
  if (isJwt && !answers?.canSign) {
    return [
      IN_CLEAR,
      { kinds: ['not-signed'], text: 'The client has no authorization_signed_response_alg (JARM).' },
      'Set authorization_signed_response_alg of the client, or ask for a response that is not signed.',
    ];
  }
  return [isJwt ? 'jwt, fragment.jwt or form_post.jwt' : 'fragment or form_post', tokensInQuery(snapshot, isJwt)];
}

function signedAlone(setting: string): Difference {
  return setting === 'authorization_encrypted_response_alg'
    ? { kinds: ['encrypted'], text: `The client has ${setting}: it gets no response in clear.` }
    : { kinds: ['not-signed'], text: `The client has ${setting}: it gets signed responses alone.` };
}

function tokensInQuery(snapshot: Snapshot, isJwt: boolean): Difference {
  if (isJwt) return { kinds: ['tokens-in-query'], text: 'A signed response with a token does not come in the query.' };
  const type = readResponseType(shownParam(snapshot, 'response_type'));
  return type && !isDocumented(type)
    ? { kinds: ['tokens-in-query'], text: 'Tokens of the hybrid flow are not returned in the query.' }
    : { kinds: ['strict'], text: 'The application is strict_oidc: tokens are not returned in the query.' };
}

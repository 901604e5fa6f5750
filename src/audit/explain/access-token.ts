import { certificateExplanation } from './client-certificate.ts';
import { proofInvalid } from './dpop.ts';
import type { Context, Difference, RowExplanation, Topic } from './explanation.ts';
import { revokedText } from './refresh.ts';
import type { FoundToken, JwtFacts, Snapshot, Value } from './snapshot.ts';
import { applicationText, articleText, durationText, listText, paramOf, timeText, valueText } from './wording.ts';

function presented({ received }: Snapshot): Value | undefined {
  return received.authorization?.secret ?? received.params.access_token?.value;
}

function presentedText(snapshot: Snapshot): string {
  const value = presented(snapshot);
  if (!value) return 'no access token';
  return `${snapshot.received.authorization?.scheme ?? 'access_token'}: ${valueText(value)}`;
}

export const tokenInvalid: Topic = context => {
  const { snapshot, app } = context;
  const { proof, certificate } = snapshot.facts ?? {};
  if (proof) return proofInvalid(context);
  if (certificate) return certificateExplanation(context, certificate);
  const difference = whyInvalid(context);
  const live = app === '' ? 'the token that the settings name' : `a live access token of the application ${app}`;
  return {
    expected: live,
    received: presentedText(snapshot),
    difference,
    fix: FIXES[difference.kinds[0] ?? ''] ?? 'Refresh the token, or send the user through the login again.',
  };
};

function whyInvalid(context: Context): Difference {
  const { snapshot } = context;
  if (snapshot.received.authorization?.fault)
    return { kinds: ['malformed'], text: 'The header holds no token, or several words.' };
  return tokenFault(context, presented(snapshot));
}

/** Why a text is no live access token of the application. */
export function tokenFault(context: Context, value: Value | undefined): Difference {
  const { snapshot } = context;
  const token = snapshot.found?.token;
  if (token && token !== 'none') return foundFault(context, token);
  if (value && 'hidden' in value) {
    if (value.notes?.length) return { kinds: ['encoding'], text: `The received text ${value.notes.join(' and ')}.` };
    if (value.jwt) return jwtFault(context, value.jwt);
    if (value.hidden !== 'access token') return kindFault(value.hidden);
  }
  return goneFault(snapshot);
}

function foundFault(context: Context, token: FoundToken): Difference {
  const { snapshot, app } = context;
  if (token.kind === 'refresh') return { kinds: ['another-kind'], text: 'It is a refresh token.' };
  if (token.app !== app) {
    return { kinds: ['another-application'], text: `The token belongs to ${applicationText(context, token.app)}.` };
  }
  if (token.user === 'disabled') return { kinds: ['user-disabled'], text: 'The user of the token is disabled.' };
  if (token.user === 'deleted') return { kinds: ['user-deleted'], text: 'The user of the token was deleted.' };
  if (token.isRevoked) return { kinds: ['revoked'], text: revokedText(token, snapshot) };
  return expiredFault(token.expiresAt, snapshot.time);
}

function expiredFault(end: number, time: number): Difference {
  return { kinds: ['expired'], text: `Expired by ${durationText(time - end)}: it was good until ${timeText(end)}.` };
}

function jwtFault(context: Context, { typ, expiresAt, app }: JwtFacts): Difference {
  if (typ === 'JWT')
    return { kinds: ['another-kind'], text: 'It is an ID token. ID tokens are for the client, not for a resource.' };
  if (app === undefined) return { kinds: ['another-issuer'], text: 'The JWT names another issuer than this server.' };
  if (app !== context.app) {
    return { kinds: ['another-application'], text: `The JWT names ${applicationText(context, app)} as its issuer.` };
  }
  const { time } = context.snapshot;
  if (expiresAt !== undefined && expiresAt <= time) return expiredFault(expiresAt, time);
  return { kinds: ['signature'], text: 'Its signature is not by a key of the application, or the token was revoked.' };
}

function kindFault(kind: string): Difference {
  if (kind === 'text')
    return { kinds: ['not-a-token'], text: 'It does not begin with gat_, as every access token of this server does.' };
  return { kinds: ['another-kind'], text: `It is ${articleText(kind)}.` };
}

function goneFault({ found, time }: Snapshot): Difference {
  const end = found?.stampedEnd;
  if (end !== undefined && end <= time) return expiredFault(end, time);
  return { kinds: ['unknown'], text: 'It has the form of an access token, and was never issued here, or was revoked.' };
}

const FIXES: Readonly<Record<string, string>> = {
  'another-kind': 'Send the access_token of the answer of the token endpoint.',
  'not-a-token': 'Send the access_token of the answer of the token endpoint, unchanged.',
  'another-application': 'Ask the userinfo endpoint of the application that issued the token.',
  'another-issuer': 'Ask the server that issued the token.',
  'user-disabled': 'Enable the user, if that is wanted; the tokens from before stay revoked.',
  malformed: 'Send "Authorization: Bearer " and the token, nothing else.',
  encoding: 'Send the access_token of the answer of the token endpoint, unchanged.',
};

export const bearerMissing: Topic = ({ snapshot }) => {
  const isInUrl = paramOf(snapshot, 'access_token')?.in === 'query';
  const { authorization } = snapshot.received;
  return {
    expected: '"Authorization: Bearer " and an access token',
    received: isInUrl
      ? 'an access token in the URL'
      : authorization
        ? 'an Authorization header of another scheme'
        : 'no access token',
    difference: isInUrl
      ? { kinds: ['in-url'], text: 'A token in the URL is not looked at, because addresses are logged everywhere.' }
      : authorization
        ? { kinds: ['scheme'], text: 'Client credentials are not good here: the resource belongs to a user.' }
        : { kinds: ['missing'], text: 'The request has no access token.' },
    fix: 'Send the access token in the Authorization header.',
  };
};

export const bearerTwice: Topic = ({ snapshot }) => ({
  expected: 'the access token in one place',
  received: presentedText(snapshot),
  difference: { kinds: ['two-places'], text: 'A token is in the Authorization header, and one in the body.' },
  fix: 'Send it in the Authorization header alone.',
});

/** RFC 9470. */
export const authenticationInsufficient: Topic = ({ snapshot }) => {
  const { acrValues, maxAge, acr, authTime } = snapshot.facts?.demanded ?? {};
  const age = authTime === undefined ? undefined : snapshot.time - authTime;
  const isOld = maxAge !== undefined && (age === undefined || age > maxAge);
  const demands = [
    ...(acrValues === undefined ? [] : [`the class ${listText(acrValues, '', 'or')} or a stronger one`]),
    ...(maxAge === undefined ? [] : [`an age of at most ${durationText(maxAge)}`]),
  ];
  const ageText = age === undefined ? 'of unknown age' : `${durationText(age)} old`;
  return {
    expected: `an access token of a login with ${demands.join(' and ')}`,
    received: `an access token of a login of the class ${acr ?? '(none)'}, ${ageText}`,
    difference: isOld
      ? { kinds: ['too-old'], text: `The login is ${ageText}; userinfo_max_age allows ${durationText(maxAge)}.` }
      : {
          kinds: ['too-weak'],
          text: `The login is of the class ${acr ?? '(none)'}, and userinfo_acr_values wants more.`,
        },
    fix: 'Send the user through an authorization request with acr_values and max_age as the WWW-Authenticate header names them, and use the new token.',
  };
};

export const scopeInsufficient: Topic = ({ snapshot }) => {
  const { facts, client, sub } = snapshot;
  const isOfClient = client !== undefined && client === sub;
  if (facts?.audience !== undefined && !isOfClient) return forAnApi(facts.audience);
  return {
    expected: isOfClient
      ? 'an access token of a user'
      : 'an access token with the scope openid (the application is strict_oidc)',
    received: `an access token with the scope ${listText(facts?.grantedScope ?? [], '(none)')}`,
    difference: isOfClient
      ? { kinds: ['no-user'], text: 'The token acts for the client itself, so there is no user to tell about.' }
      : { kinds: ['scope-missing'], text: 'The scope openid is missing.' },
    fix: isOfClient ? 'Use a token that a user has granted.' : 'Ask for the scope openid in the authorization request.',
  };
};

const forAnApi = (audience: string): RowExplanation => ({
  expected: 'an access token for userinfo',
  received: `an access token for ${audience}`,
  difference: { kinds: ['another-audience'], text: `The token is for the API ${audience}, whatever its scope.` },
  fix: 'Refresh with scope=openid and without resource: that access token is for userinfo.',
});

import { CIBA_GRANT } from '../../oauth/ciba/rules.ts';
import { DEVICE_GRANT } from '../../oauth/device/rules.ts';
import { requestObjectFaults } from '../../oauth/jar/request-object.rules.ts';
import { TOKEN_EXCHANGE } from '../../oauth/token-exchange/rules.ts';
import { acrValues } from '../../people/sign-in/acr.rules.ts';
import { addGrantType } from './calls.ts';
import type { Context, Difference, RowExplanation, Topic } from './explanation.ts';
import { clientText, durationText, listText, paramOf, paramText, shownParam } from './wording.ts';

export const grantTypeNotAllowed: Topic = context => {
  const { snapshot } = context;
  if (snapshot.route === 'device_authorization')
    return notAllowed(context, DEVICE_GRANT, 'a device authorization request');
  if (snapshot.route === 'bc-authorize') return notAllowed(context, CIBA_GRANT, 'a backchannel request');
  return notAllowed(context, shownParam(snapshot, 'grant_type') ?? '', paramText(snapshot, 'grant_type'));
};

/** The password grant and the implicit flow weaken a client: whether it shall have them is not for a refused request to say. */
export function notAllowed(context: Context, needed: string, received: string): RowExplanation {
  const allowed = context.snapshot.registration?.grantTypes ?? [];
  const isSafe = needed === 'authorization_code' || needed === 'refresh_token';
  return {
    expected: `a flow that ${clientText(context)} is registered for: ${listText(allowed)}`,
    received,
    difference: { kinds: ['grant-type'], text: `${needed} is not among its grant_types.` },
    fix: isSafe ? `Add ${needed} to the grant_types of the client.` : (FIXES[needed] ?? weakeningFix(needed)),
    call: isSafe ? addGrantType(context, needed) : undefined,
  };
}

const FIXES: Readonly<Record<string, string>> = {
  [DEVICE_GRANT]: `Add ${DEVICE_GRANT} to the grant_types of the client if it runs on devices without a browser. Elsewhere, use the authorization code flow.`,
  [CIBA_GRANT]: `Add ${CIBA_GRANT} to the grant_types of the client if it asks people on another device. It needs a secret, a key or a certificate.`,
  client_credentials:
    'Add client_credentials to the grant_types of the client if it shall act for itself, without a user. For a user, use the authorization code flow.',
  [TOKEN_EXCHANGE]: `Add ${TOKEN_EXCHANGE} to the grant_types of the client if it shall exchange tokens. A policy of the application says which (token_exchange).`,
};

const weakeningFix = (needed: string) =>
  `Use the authorization code flow. Add ${needed} to the grant_types of the client only if nothing else is possible.`;

export const grantTypeUnsupported: Topic = ({ snapshot, grantTypes }) => ({
  // The implicit flow has no token request.
  expected: `grant_type: one of ${listText([...grantTypes.keys()].filter(type => type !== 'implicit'))}`,
  received: paramText(snapshot, 'grant_type'),
  difference: grantTypeFault(shownParam(snapshot, 'grant_type')),
  fix: 'Send one of these, spelt exactly.',
});

function grantTypeFault(sent: string | undefined): Difference {
  if (sent === 'implicit') return { kinds: ['unsupported'], text: 'The implicit flow has no token request.' };
  if (sent?.startsWith('urn:')) {
    return { kinds: ['unsupported'], text: 'This server does not have this grant.' };
  }
  return { kinds: ['unknown'], text: 'It is none of these; the value is compared exactly.' };
}

export const codeChallengeInvalid: Topic = ({ snapshot }) => {
  const [difference, fix] = challengeFault(snapshot);
  return {
    expected: 'code_challenge: base64url(SHA-256(code_verifier)), 43 characters, with code_challenge_method=S256',
    received: paramText(snapshot, 'code_challenge'),
    difference,
    fix,
  };
};

const SEND_CHALLENGE =
  'Send code_challenge and code_challenge_method=S256; most client libraries do when PKCE is turned on.';

function challengeFault(snapshot: Context['snapshot']): [Difference, string] {
  const value = paramOf(snapshot, 'code_challenge')?.value;
  if (value && 'fault' in value && value.fault !== 'empty') {
    return [
      { kinds: [value.fault], text: 'The parameter was sent more than once, or is badly encoded.' },
      'Send it once.',
    ];
  }
  if (value && 'hidden' in value) {
    const text =
      value.length === 43 || value.length === 44
        ? 'It has characters that base64url does not have.'
        : `It has ${value.length} characters.`;
    const hint = value.length === 64 ? ' 64 characters are a hash in hexadecimal.' : '';
    return [
      { kinds: ['malformed'], text: text + hint },
      'Encode the 32 bytes of the hash with base64url, without padding.',
    ];
  }
  if (paramOf(snapshot, 'code_challenge_method')) {
    return [{ kinds: ['missing'], text: 'code_challenge_method came without code_challenge.' }, SEND_CHALLENGE];
  }
  const isPublic = snapshot.registration?.authMethod === 'none';
  const why = isPublic ? 'has no secret (token_endpoint_auth_method none)' : 'is registered with require_pkce';
  return [{ kinds: ['missing'], text: `The client ${why}, so it must use PKCE.` }, SEND_CHALLENGE];
}

export const codeChallengeMethodInvalid: Topic = ({ snapshot }) => {
  const sent = shownParam(snapshot, 'code_challenge_method');
  return {
    expected: 'code_challenge_method: S256',
    received: paramText(snapshot, 'code_challenge_method'),
    difference: methodFault(sent),
    fix: 'Send code_challenge_method=S256, and the SHA-256 of the verifier as code_challenge.',
  };
};

function methodFault(sent: string | undefined): Difference {
  if (sent === 'plain') return { kinds: ['plain'], text: 'plain gives the verifier away with the request.' };
  if (sent?.toUpperCase() === 'S256')
    return { kinds: ['case'], text: 'The value is compared exactly, upper case included.' };
  return { kinds: ['missing'], text: 'code_challenge came without this method.' };
}

const INSIDE = 'Or send the parameters one by one: turn request objects off in the client library.';

export const requestNotSupported: Topic = ({ snapshot }) => ({
  expected: 'no parameter request',
  received: paramText(snapshot, 'request'),
  difference: {
    kinds: ['unsupported'],
    text: 'The client has no request_object_signing_alg: it does not sign its requests.',
  },
  fix: `Set request_object_signing_alg of the client and register its keys. ${INSIDE}`,
});

export const requestObjectInvalid: Topic = ({ snapshot }) => {
  const fault = snapshot.facts?.requestObject ?? 'malformed';
  return {
    expected: 'a JWT that the client has signed for this server',
    received: 'request: another one',
    difference: { kinds: [fault], text: requestObjectFaults[fault] },
    fix: 'Sign it with the registered algorithm and a key of jwks, with client_id, iss, aud (the issuer) and a short exp.',
  };
};

export const requestObjectRequired: Topic = () => ({
  expected: 'the parameter request, signed by the client',
  received: 'parameters one by one',
  difference: { kinds: ['not-signed'], text: 'The client has require_signed_request_object.' },
  fix: 'Sign the request (RFC 9101), or turn require_signed_request_object off.',
});

export const authorizationDetailsInvalid: Topic = ({ snapshot }) => ({
  expected:
    'a JSON array whose entries fit the authorization_details_types of an API; of a token request, entries that were granted',
  received: `authorization_details: ${snapshot.parameter ?? 'something else'}`,
  difference: { kinds: ['details'], text: 'An entry does not fit its type, or is more than was granted.' },
  fix: 'Compare the entry with the schema of its type. A token request can leave entries out, not add or change them.',
});

export const encryptionKeyMissing: Topic = () => ({
  expected: 'a key in jwks or at jwks_uri that fits the algorithm, with use enc or without use',
  received: 'no such key, or no key set',
  difference: {
    kinds: ['key'],
    text: 'The client has asked for encrypted answers, and there is no key to encrypt to.',
  },
  fix: 'Publish the key at jwks_uri, and see that this server reaches the address. The answer is never sent in clear.',
});

export const requestUriUnknown: Topic = ({ snapshot }) => ({
  expected:
    'a request_uri of the client’s request_uris, with the SHA-256 of the document as its fragment or without one',
  received: paramText(snapshot, 'request_uri'),
  difference: {
    kinds: ['unregistered'],
    text: 'It is not registered, has another fragment, or came together with request.',
  },
  fix: 'Add the address to request_uris of the client, or push the request.',
});

export const requestUriUnreadable: Topic = ({ snapshot }) => ({
  expected: 'a request object of at most 12 KiB at the address, with the hash that its fragment names',
  received: paramText(snapshot, 'request_uri'),
  difference: { kinds: ['unreachable'], text: 'The document could not be read, or is another one.' },
  fix: 'Publish it with status 200 on a public address, without a redirect. A failure is remembered for 30 seconds.',
});

export const requestUriInvalid: Topic = ({ snapshot }) => ({
  expected: 'the request_uri of a request that this client pushed less than a minute ago, and that is not used yet',
  received: paramText(snapshot, 'request_uri'),
  difference: { kinds: ['gone'], text: 'No such request waits: it was used, is too old, or is of another client.' },
  fix: 'Push the request when the login begins, and redirect at once. A page that is reloaded, or a link that is kept, begins anew.',
});

export const tooManyPushedRequests: Topic = ({ snapshot }) => ({
  expected: 'at most 150 pushed requests of clients without a secret from one address, one more every second',
  received: 'one more',
  difference: { kinds: ['limit'], text: `More are taken in ${durationText(snapshot.retryAfter ?? 0)}.` },
  fix: 'Push a request when a login begins, not for every page that is shown.',
});

export const pushedRequestRequired: Topic = ({ snapshot }) => ({
  expected: 'client_id and the request_uri of a pushed request',
  received: paramText(snapshot, 'request_uri'),
  difference: { kinds: ['not-pushed'], text: 'The parameters came through the browser.' },
  fix: 'Send the parameters to /par first, or turn require_pushed_authorization_requests of the client off.',
});

export const requestUriNotSupported: Topic = ({ snapshot }) => ({
  expected: 'no parameter request_uri',
  received: paramText(snapshot, 'request_uri'),
  difference: {
    kinds: ['unsupported'],
    text: 'It is not of a pushed request, and the client has no request_uris, or no request_object_signing_alg.',
  },
  fix: `Push the request, or add the address to request_uris of the client and set its request_object_signing_alg. ${INSIDE}`,
});

export const authenticationRequirementsUnmet: Topic = ({ snapshot }) =>
  snapshot.facts?.login?.kind === 'noSecondFactor' ? SECOND_FACTOR_MISSING : acrUnsupported(snapshot);

const SECOND_FACTOR_MISSING: RowExplanation = {
  expected:
    'a user with a second factor: the request asks for acr 2 as essential, or the application has mfa: required',
  received: 'a user who has none',
  difference: {
    kinds: ['no-second-factor'],
    text: 'The user has no second factor, so the sign-in cannot reach acr 2.',
  },
  fix: 'The user sets one up on /account/security, then send the same request again. Where the application or an operator requires one, a request without prompt=none leads the user through it.',
};

const acrUnsupported = (snapshot: Context['snapshot']): RowExplanation => ({
  expected: `an essential acr among ${listText(acrValues)}`,
  received: paramText(snapshot, 'claims'),
  difference: { kinds: ['acr'], text: 'The parameter claims asks for another acr, as essential.' },
  fix: 'Ask for an acr of acr_values_supported in the discovery document, or not as essential.',
});

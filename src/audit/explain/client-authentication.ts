import { makeSecret } from './calls.ts';
import { assertionExplanation } from './client-assertion.ts';
import { certificateExplanation } from './client-certificate.ts';
import type { Context, Difference, RowExplanation, Topic } from './explanation.ts';
import { unknownClient } from './redirect-uri.ts';
import { clientDocumentInvalid } from './self-registration.ts';
import type { Snapshot } from './snapshot.ts';
import { clientText, durationText, paramOf, paramText, valueText } from './wording.ts';
import { workloadExplanation } from './workload.ts';

export const clientNotAuthenticated: Topic = context => {
  const { snapshot } = context;
  const difference = whyNotAuthenticated(context);
  return {
    expected: expectedProof(snapshot),
    received: credentialsText(snapshot),
    difference,
    fix:
      AUTHENTICATION_FIXES[difference.kinds[0] ?? ''] ?? 'Send "Authorization: Basic base64(client_id:client_secret)".',
  };
};

function expectedProof({ route, registration }: Snapshot): string {
  if (route === 'introspect') return 'client credentials, or a live access token of this application as a bearer token';
  if (registration?.authMethod === 'none')
    return 'a grant that a client without a secret may use: a code with its verifier, or a refresh';
  if (isSigner(registration)) return `an assertion: the client is registered for ${registration?.authMethod}`;
  return 'client credentials: an Authorization header with Basic, or client_id and client_secret in the body';
}

function isSigner(registration: Snapshot['registration']): boolean {
  return registration?.authMethod === 'private_key_jwt' || registration?.authMethod === 'client_secret_jwt';
}

function whyNotAuthenticated({ snapshot }: Context): Difference {
  const { received, facts, route, registration } = snapshot;
  if (facts?.needsClientAuthentication) {
    const text =
      'The client of this code is registered with require_client_authentication, or an agent: its verifier alone is not enough.';
    return { kinds: ['verifier-alone'], text };
  }
  if (received.authorization?.scheme === 'Bearer') return bearerFault(snapshot);
  if (received.authorization)
    return { kinds: ['scheme'], text: 'The Authorization header has another scheme than Basic.' };
  for (const name of ['client_assertion', 'client_secret', 'client_id', 'grant_type']) {
    if (paramOf(snapshot, name)?.in === 'query') {
      return { kinds: ['in-url'], text: `${name} is in the URL, where it is not looked at.` };
    }
  }
  if (isSigner(registration) && paramOf(snapshot, 'client_id')) {
    return { kinds: ['assertion-missing'], text: 'The request names a client that signs, and brings no assertion.' };
  }
  if (registration && registration.authMethod !== 'none' && paramOf(snapshot, 'client_id')) {
    return { kinds: ['secret-missing'], text: 'The request names a client that has a secret, and brings no secret.' };
  }
  const isCode = route === 'token' && paramOf(snapshot, 'code') !== undefined;
  return isCode
    ? { kinds: ['no-credentials'], text: 'The request has a code, and neither credentials nor a code_verifier.' }
    : { kinds: ['no-credentials'], text: 'The request has no client credentials.' };
}

function bearerFault({ route, found }: Snapshot): Difference {
  if (route !== 'introspect') return { kinds: ['scheme'], text: 'A bearer token does not authenticate a client here.' };
  const token = found?.token;
  const isLive = token !== undefined && token !== 'none' && token.kind === 'access';
  return isLive
    ? { kinds: ['token-ended'], text: 'The access token has expired, was revoked, or is of another application.' }
    : { kinds: ['token-unknown'], text: 'The bearer token is no access token of this server.' };
}

const AUTHENTICATION_FIXES: Readonly<Record<string, string>> = {
  'verifier-alone': 'Send the credentials of the client together with the verifier.',
  'in-url': 'Send the parameters in the form body; credentials in the URL are not accepted.',
  'secret-missing':
    'Send the client_secret of the client, best in the header: "Authorization: Basic base64(client_id:client_secret)".',
  'assertion-missing': 'Send client_assertion_type and client_assertion in the form body.',
  'token-ended': 'Get a new access token, or introspect with the credentials of a client.',
  'token-unknown':
    'Introspect with the credentials of a client: "Authorization: Basic base64(client_id:client_secret)".',
};

/** What came as credentials, without the secrets. */
function credentialsText(snapshot: Snapshot): string {
  const { authorization } = snapshot.received;
  const parts: string[] = [];
  if (authorization?.scheme === 'Basic') parts.push(`Basic with ${basicText(snapshot)}`);
  else if (authorization?.scheme === 'Bearer') parts.push(`Bearer with ${secretText(snapshot)}`);
  else parts.push(authorization ? 'an Authorization header of another scheme' : 'no Authorization header');
  for (const name of ['client_id', 'client_secret', 'client_assertion_type', 'client_assertion', 'code_verifier']) {
    const parameter = paramOf(snapshot, name);
    if (parameter) parts.push(`${paramText(snapshot, name)} (in the ${parameter.in === 'query' ? 'URL' : 'body'})`);
  }
  return parts.join('; ');
}

function secretText({ received }: Snapshot): string {
  const secret = received.authorization?.secret;
  return secret ? valueText(secret) : 'nothing';
}

const BASIC_FAULTS = {
  encoding: 'text that is not base64',
  colon: 'base64 of a text without a colon',
  clientId: 'no client_id before the colon',
  token: 'no token',
} as const;

function basicText(snapshot: Snapshot): string {
  const { authorization } = snapshot.received;
  if (authorization?.fault) return BASIC_FAULTS[authorization.fault];
  const known = snapshot.found?.client?.received;
  const client = known ?? (authorization?.client ? valueText(authorization.client) : 'nothing');
  return `client_id: ${client}, secret: ${secretText(snapshot)}`;
}

export const clientAuthenticationFailed: Topic = context => {
  const { snapshot } = context;
  if (snapshot.facts?.clientDocument !== undefined) return clientDocumentInvalid(context);
  const certificate = snapshot.facts?.certificate;
  if (certificate) return certificateExplanation(context, certificate);
  const workload = snapshot.facts?.workload;
  if (workload) return workloadExplanation(context, workload);
  const assertion = snapshot.facts?.assertion;
  if (assertion) return assertionExplanation(context, assertion, credentialsText(snapshot));
  // Of a client with a profile, whose error is another one (docs/decisions/protocol.md, row 63).
  if (snapshot.client !== undefined && !hasCredentials(snapshot)) return clientNotAuthenticated(context);
  const fault = snapshot.received.authorization?.fault;
  if (fault) return malformedHeader(snapshot, BASIC_FAULTS[fault]);
  if (snapshot.client === undefined) return unknownCredentials(context);
  if (snapshot.registration?.authMethod === 'none') {
    return {
      expected: `no secret: ${clientText(context)} is a public client (token_endpoint_auth_method none)`,
      received: credentialsText(snapshot),
      difference: { kinds: ['public-client'], text: 'The client has no secret that could be right.' },
      fix: 'Send client_id in the body without a secret; with a code, send code_verifier.',
    };
  }
  return wrongSecret(context);
};

function hasCredentials(snapshot: Snapshot): boolean {
  const isInBody = (name: string) => paramOf(snapshot, name)?.in === 'body';
  return snapshot.received.authorization !== undefined || ['client_secret', 'client_assertion'].some(isInBody);
}

function malformedHeader(snapshot: Snapshot, what: string): RowExplanation {
  return {
    expected: '"Authorization: Basic " and base64(client_id:client_secret)',
    received: credentialsText(snapshot),
    difference: { kinds: ['malformed'], text: `The header holds ${what}.` },
    fix: 'Join client_id and client_secret by a colon and encode the whole with base64.',
  };
}

function unknownCredentials(context: Context): RowExplanation {
  const { difference } = unknownClient(context);
  return {
    expected: `credentials of a client of the application ${context.app}`,
    received: credentialsText(context.snapshot),
    difference,
    fix: difference.kinds.includes('another-application')
      ? 'Use the token endpoint of the application that the client belongs to.'
      : 'Check the client_id: it is compared exactly, and a client belongs to one application.',
  };
}

function wrongSecret(context: Context): RowExplanation {
  const { snapshot } = context;
  const secret = snapshot.received.authorization?.secret ?? paramOf(snapshot, 'client_secret')?.value;
  const notes = secret && 'hidden' in secret ? (secret.notes ?? []) : [];
  const hint = notes.length > 0 ? ` The received one ${notes.join(' and ')}.` : '';
  return {
    expected: `the secret of ${clientText(context)}`,
    received: credentialsText(snapshot),
    difference: { kinds: ['wrong-secret'], text: `The client exists, and this is not its secret.${hint}` },
    fix:
      notes.length > 0
        ? 'Remove what does not belong to the secret from the configuration of the program.'
        : 'Compare the secret in the configuration of the program. The server keeps no secret that could be shown: if it is lost, make a new one.',
    call: notes.length > 0 ? undefined : makeSecret(context),
  };
}

export const severalClientAuthentications: Topic = ({ snapshot }) => ({
  expected: 'one client authentication method, and one client',
  received: credentialsText(snapshot),
  difference: snapshot.facts?.claimsOtherClient
    ? { kinds: ['two-clients'], text: `Client ${snapshot.client} authenticated, and the body names another one.` }
    : { kinds: ['two-methods'], text: 'The request has credentials of more than one method.' },
  fix: snapshot.facts?.claimsOtherClient
    ? 'Leave client_id out of the body, or send that of the client that authenticates.'
    : 'Send one of them alone: the Authorization header, client_secret or client_assertion.',
});

export const tooManyClientAttempts: Topic = context => ({
  expected: 'at most 30 failed authentications of a client from one address, one more every 5 s',
  received: `one more, for ${clientText(context)}`,
  difference: { kinds: ['limit'], text: `More are taken in ${durationText(context.snapshot.retryAfter ?? 0)}.` },
  fix: 'Look for the failures before this one: each has a request id of its own. Correct the secret, then wait.',
});

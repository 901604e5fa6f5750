import {
  type AssertionFault,
  CLIENT_ASSERTION_TYPE,
  MAX_ASSERTION_SECONDS,
  SECRET_ALG,
} from '../../oauth/client-authentication/client-assertion.rules.ts';
import { CLOCK_SKEW_SECONDS } from '../../platform/crypto/signed-jwt.rules.ts';
import { makeSecret } from './calls.ts';
import type { Context, FaultText, RowExplanation } from './explanation.ts';
import { clientText, paramOf } from './wording.ts';

const AUDIENCE = 'the issuer of this application, its token endpoint or its endpoint for pushed requests, as aud';

/** Which check the assertion of a client failed (RFC 7523 section 3). The client itself is told nothing of it. */
const FAULTS: Readonly<Record<Exclude<AssertionFault, 'method'>, Omit<FaultText, 'received'>>> = {
  type: {
    kind: 'assertion-type',
    expected: `client_assertion_type: ${CLIENT_ASSERTION_TYPE}`,
    text: 'The assertion came with another client_assertion_type, or with none.',
    fix: 'Send client_assertion_type exactly as expected, in the form body.',
  },
  malformed: {
    kind: 'assertion-malformed',
    expected:
      'a signed JWT of at most 8 KiB in the compact form, with the client_id as sub; the token of a workload with client_id beside it',
    text: 'client_assertion is no such JWT, or one for another purpose (typ), or has a critical extension.',
    fix: 'Send header.payload.signature as the library made it; leave typ out, or send JWT.',
  },
  algorithm: {
    kind: 'algorithm',
    expected: 'an algorithm of the registered method, and token_endpoint_auth_signing_alg where that is set',
    text: 'The assertion is signed with another algorithm.',
    fix: `Sign with the registered algorithm. client_secret_jwt knows ${SECRET_ALG} alone.`,
  },
  issuer: {
    kind: 'issuer',
    expected: 'the client_id both as iss and as sub',
    text: 'iss and sub are not both the client_id.',
    fix: 'Set iss and sub to the client_id.',
  },
  audience: {
    kind: 'audience',
    expected: AUDIENCE,
    text: 'The assertion names another audience. Values are compared exactly, also a slash at the end.',
    fix: 'Set aud to the issuer, as discovery has it.',
  },
  expiryMissing: {
    kind: 'expiry-missing',
    expected: 'exp, in seconds since 1970',
    text: 'The assertion has no exp, or one that is no number.',
    fix: 'Set exp to a minute from now.',
  },
  expired: {
    kind: 'expired',
    expected: `an exp in the future; clocks may differ by ${CLOCK_SKEW_SECONDS} s`,
    text: 'The assertion has expired.',
    fix: 'Make a new assertion for each request, and check the clock of the client.',
  },
  expiryTooFar: {
    kind: 'expiry-too-far',
    expected: `an exp at most ${MAX_ASSERTION_SECONDS} s ahead; clocks may differ by ${CLOCK_SKEW_SECONDS} s`,
    text: 'The assertion would be valid for longer.',
    fix: 'Set exp to a minute from now, and make a new assertion for each request.',
  },
  notYetValid: {
    kind: 'not-yet-valid',
    expected: `iat and nbf not in the future; clocks may differ by ${CLOCK_SKEW_SECONDS} s`,
    text: 'iat or nbf is in the future, or is no number.',
    fix: 'Check the clock of the client.',
  },
  idMissing: {
    kind: 'jti-missing',
    expected: 'a jti that no other assertion has',
    text: 'The assertion has no jti, or one that is no text.',
    fix: 'Set jti to a random text, a new one each time.',
  },
  keyUnknown: {
    kind: 'unknown-kid',
    expected: 'a kid of a registered key that fits the algorithm by its kty, crv, use and alg',
    text: 'No key of the client has this kid and fits the algorithm. A jwks_uri was read again, at most once in 10 s.',
    fix: 'Publish the key before it signs, and send the kid that it is published with.',
  },
  signature: {
    kind: 'signature',
    expected: 'a signature by a key of the client, or with its secret',
    text: 'The signature is not right.',
    fix: 'Compare the public keys that are registered with the key that signs; with client_secret_jwt compare the secret.',
  },
  keysUnreachable: {
    kind: 'jwks-uri',
    expected: 'a JWK Set at jwks_uri: status 200, at most 64 KiB, within 3 s, without a redirect',
    text: 'The keys could not be read from jwks_uri. A failure is remembered for 30 s.',
    fix: 'Open jwks_uri from the network of this server. It must be https on a public address, or in a network of GATEHOUSE_OUTBOUND_ALLOW.',
  },
  secretNotKept: {
    kind: 'secret-not-kept',
    expected: 'a secret that was made for client_secret_jwt',
    text: 'The secret is older than the registration for client_secret_jwt, so that the server has only its hash, which verifies no signature.',
    fix: 'Make a new secret.',
  },
  replayed: {
    kind: 'replayed',
    expected: 'a jti that was not used before',
    text: 'An assertion with this jti was used before. Each can be used once, on any node.',
    fix: 'Make a new assertion for each request, also when a request is repeated. If the client does, somebody else has seen its assertion.',
  },
};

export function assertionExplanation(context: Context, fault: AssertionFault, received: string): RowExplanation {
  if (fault === 'method') return otherMethod(context, received);
  const { kind, expected, text, fix } = FAULTS[fault];
  const call = fault === 'secretNotKept' ? makeSecret(context) : undefined;
  return { expected, received, difference: { kinds: [kind], text }, fix, call };
}

/** A client that signs may not fall back to a secret, nor the other way round. */
function otherMethod(context: Context, received: string): RowExplanation {
  const { snapshot } = context;
  const method = snapshot.registration?.authMethod ?? 'another method';
  const sent = paramOf(snapshot, 'client_assertion') ? 'an assertion of another method' : 'a secret';
  return {
    expected: `${method}, for which ${clientText(context)} is registered`,
    received,
    difference: { kinds: ['method'], text: `The client is registered for ${method}, and sent ${sent}.` },
    fix: `Let the program use ${method}, or change token_endpoint_auth_method of the client.`,
  };
}

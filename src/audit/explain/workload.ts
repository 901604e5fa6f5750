import {
  type FaultyWorkload,
  MAX_WORKLOAD_SECONDS,
  type WorkloadFault,
} from '../../oauth/federated-credentials/rules.ts';
import { CLOCK_SKEW_SECONDS } from '../../platform/crypto/signed-jwt.rules.ts';
import type { Context, Difference, FaultText, RowExplanation } from './explanation.ts';
import { clientText, withValue } from './wording.ts';

const COMPARE = 'Compare it with federated_credentials of the client, character by character.';
const HOURS = MAX_WORKLOAD_SECONDS / 3600;
const CLOCKS = `clocks may differ by ${CLOCK_SKEW_SECONDS} s`;

/** Which check the token of a workload failed, which a client with federated_credentials sent as its assertion. */
const FAULTS: Readonly<Record<WorkloadFault, FaultText>> = {
  issuer: {
    kind: 'issuer',
    expected: 'a token with the iss',
    received: 'iss',
    text: 'No federated credential of the client has this issuer.',
    fix: COMPARE,
  },
  subject: {
    kind: 'subject',
    expected: 'a token with the sub',
    received: 'sub',
    text: 'The issuer is right, and the workload is another one.',
    fix: `${COMPARE} If this workload is meant, add it.`,
  },
  audience: {
    kind: 'audience',
    expected: 'a token with the aud',
    received: 'aud',
    text: 'The token is for somebody else: who receives it there could send it here.',
    fix: 'Let the workload ask its platform for a token with this audience.',
  },
  algorithm: {
    kind: 'algorithm',
    expected: 'a signature by',
    received: 'alg',
    text: 'The token is signed with another algorithm.',
    fix: 'Look at token_endpoint_auth_signing_alg of the client; signatures with a shared secret or none never count.',
  },
  expiryMissing: {
    kind: 'expiry-missing',
    expected: 'exp, in seconds since 1970',
    received: 'none, or no number',
    text: 'The token would be good for ever.',
    fix: 'Let the platform issue tokens that expire.',
  },
  expired: {
    kind: 'expired',
    expected: `an exp in the future; ${CLOCKS}`,
    received: 'one in the past',
    text: 'The token has expired.',
    fix: 'Read the token anew for each request: the platform replaces it before it expires.',
  },
  expiryTooFar: {
    kind: 'expiry-too-far',
    expected: `an exp at most ${HOURS} h ahead`,
    received: 'a later one',
    text: 'A token that is good for so long is a secret.',
    fix: 'Let the platform issue tokens for an hour or less (expirationSeconds in Kubernetes).',
  },
  notYetValid: {
    kind: 'not-yet-valid',
    expected: `iat and nbf not in the future; ${CLOCKS}`,
    received: 'a later one, or no number',
    text: 'The token is not valid yet.',
    fix: 'Compare the clocks of this server and of the platform.',
  },
  metadata: {
    kind: 'metadata',
    expected: 'metadata with this issuer and its jwks_uri, at /.well-known/openid-configuration of',
    received: 'no answer, or metadata of another issuer',
    text: 'The keys of the issuer could not be found. A failure is remembered for 30 s.',
    fix: 'Open the address from the network of this server: it must be https on a public address, or in a network of GATEHOUSE_OUTBOUND_ALLOW. Or set jwks or jwks_uri in the credential.',
  },
  keysUnreachable: {
    kind: 'jwks-uri',
    expected: 'a JWK Set of',
    received: 'no answer that is one',
    text: 'The keys of the issuer could not be read. A failure is remembered for 30 s.',
    fix: 'Open its jwks_uri from the network of this server. It must be https on a public address, or in a network of GATEHOUSE_OUTBOUND_ALLOW.',
  },
  keyUnknown: {
    kind: 'unknown-kid',
    expected: 'a key of',
    received: 'kid',
    text: 'The issuer publishes no key with this kid that fits the algorithm. Its keys were read again, at most once in 10 s.',
    fix: 'If the credential has jwks, add the new key of the platform, or set jwks_uri, which is read again.',
  },
  signature: {
    kind: 'signature',
    expected: 'a signature by a key of',
    received: 'another one, kid',
    text: 'The signature is not right.',
    fix: 'Send the token unchanged. If it is, compare jwks of the credential with the keys of the platform.',
  },
};

export function workloadExplanation(context: Context, faulty: FaultyWorkload): RowExplanation {
  const { kind, expected, received, text, fix } = FAULTS[faulty.fault];
  return {
    expected: `${withValue(expected, faulty.expected)} (${clientText(context)})`,
    received: withValue(received, faulty.received),
    difference: { kinds: [kind], text, ...sidesOf(faulty) },
    fix,
  };
}

const COMPARED: readonly WorkloadFault[] = ['issuer', 'subject', 'audience'];

/** Where there is one text that it could be: the first character that differs. */
function sidesOf({ fault, expected = '', received = '' }: FaultyWorkload): Partial<Difference> {
  if (!COMPARED.includes(fault) || expected.includes(', ') || received === '') return {};
  const at = [...received].findIndex((char, index) => char !== expected[index]);
  return { expected, received, at: at === -1 ? received.length : at };
}

import { type StatementFault, statementFaults } from '../../oauth/registration/software-statement.rules.ts';
import { CLOCK_SKEW_SECONDS } from '../../platform/crypto/signed-jwt.rules.ts';
import type { Topic } from './explanation.ts';

/** Software statements of clients that register themselves (RFC 7591 section 2.3). */
interface FaultText {
  readonly expected: string;
  readonly fix: string;
}

const SIGNED_ANEW = 'Get a new statement of the issuer.';

const FAULTS: Readonly<Record<StatementFault, FaultText>> = {
  malformed: {
    expected: 'a JWT in compact form; its typ, if it has one, is JWT or software-statement+jwt',
    fix: 'Send the statement as the issuer made it.',
  },
  issuerMissing: { expected: 'an iss, which names the issuer', fix: SIGNED_ANEW },
  otherPurpose: {
    expected: 'software_id, or metadata of a client such as redirect_uris',
    fix: 'Send the software statement, not another token of the same issuer.',
  },
  audience: {
    expected: 'the issuer of this application or its /register as aud, or no aud',
    fix: 'Get a statement of the issuer for this server, or one for all.',
  },
  expired: { expected: `an exp in the future; clocks may differ by ${CLOCK_SKEW_SECONDS} s`, fix: SIGNED_ANEW },
  notYetValid: {
    expected: `iat and nbf not in the future; clocks may differ by ${CLOCK_SKEW_SECONDS} s`,
    fix: 'Compare the clock of the issuer with that of this server.',
  },
  algorithm: {
    expected: 'RS256, PS256, ES256, EdDSA or another algorithm with a public key',
    fix: 'The issuer has to sign with a private key.',
  },
  keyUnknown: {
    expected: 'a kid of a key of the issuer that fits the algorithm by its kty, crv, use and alg',
    fix: 'Compare jwks or jwks_uri in software_statements of the application with the keys of the issuer. A jwks_uri is read again, at most once in 10 s.',
  },
  signature: {
    expected: 'a signature by a key of the issuer',
    fix: 'Send the statement unchanged. If it is, compare jwks or jwks_uri in software_statements of the application with the keys of the issuer.',
  },
};

export const softwareStatementInvalid: Topic = ({ snapshot }) => {
  const fault = snapshot.facts?.statement ?? 'malformed';
  const [first = '', ...rest] = statementFaults[fault];
  return {
    ...FAULTS[fault],
    received: 'software_statement (not kept)',
    difference: { kinds: ['statement', fault], text: `${first.toUpperCase()}${rest.join('')}.` },
  };
};

export const softwareStatementUnapproved: Topic = ({ snapshot }) => ({
  expected: 'a statement of an issuer that software_statements of the application lists',
  received: `a statement of ${snapshot.facts?.statementIssuer ?? 'another issuer'}`,
  difference: { kinds: ['not-allowed'], text: 'The issuer is not in the list. Its name is compared exactly.' },
  fix: 'If you trust it, add it with its keys to software_statements of the application. Otherwise register without software_statement.',
});

export const statementKeysUnreachable: Topic = () => ({
  expected: 'a JWK Set at jwks_uri of the issuer: status 200, at most 64 KiB, within 3 s, without a redirect',
  received: 'software_statement (not kept)',
  difference: {
    kinds: ['jwks-uri'],
    text: 'The keys could not be read from jwks_uri. A failure is remembered for 30 s.',
  },
  fix: 'Open jwks_uri from the network of this server. It must be https on a public address, or in a network of GATEHOUSE_OUTBOUND_ALLOW.',
});

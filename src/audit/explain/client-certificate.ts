import type { CertificateFault, FaultyCertificate } from '../../oauth/mtls/rules.ts';
import type { Context, FaultText, RowExplanation, Topic } from './explanation.ts';
import { clientText, timeText, withValue } from './wording.ts';

const SHOW_IT =
  'Send the request with the client certificate, to the address of mtls_endpoint_aliases in discovery where it lists one.';

/** Which check the certificate of a client failed (RFC 8705). The client itself is told little of it. */
const FAULTS: Readonly<Record<CertificateFault, FaultText>> = {
  missing: {
    kind: 'certificate-missing',
    expected: 'a TLS client certificate',
    received: 'none',
    text: 'The client authenticates by a certificate, or its tokens are bound to one, and the request came without.',
    fix: `${SHOW_IT} Behind a proxy, set CLIENT_CERTIFICATE_HEADER and TRUSTED_PROXIES, and let the proxy send the header.`,
  },
  notFromProxy: {
    kind: 'certificate-not-from-proxy',
    expected: 'a TLS client certificate',
    received: 'the header of CLIENT_CERTIFICATE_HEADER, from a caller that is no trusted proxy',
    text: 'The header counts from the proxies of TRUSTED_PROXIES alone: everybody else could write any certificate into it.',
    fix: 'If the caller is your proxy, list its address in TRUSTED_PROXIES. Otherwise send the certificate by TLS.',
  },
  several: {
    kind: 'several-certificates',
    expected: 'one header with one certificate',
    received: 'several',
    text: 'The request has the header of CLIENT_CERTIFICATE_HEADER more than once.',
    fix: 'Let the proxy set the header, and remove the one that callers send (nginx: proxy_set_header).',
  },
  malformed: {
    kind: 'certificate-malformed',
    expected: 'a certificate in PEM with percent-encoding, or the byte sequence of RFC 9440',
    received: 'something else',
    text: 'The header of the proxy holds no certificate in one of these forms.',
    fix: 'With nginx send $ssl_client_escaped_cert; others send Client-Cert (RFC 9440).',
  },
  expired: {
    kind: 'certificate-expired',
    expected: 'a certificate that is valid now',
    received: 'one that was valid until',
    text: 'The certificate has expired.',
    fix: 'Renew the certificate of the client.',
  },
  notYetValid: {
    kind: 'certificate-not-yet-valid',
    expected: 'a certificate that is valid now',
    received: 'one that is valid from',
    text: 'The certificate is not valid yet.',
    fix: 'Compare the clocks of this server and of the authority.',
  },
  noAuthorities: {
    kind: 'no-authorities',
    expected: 'TLS_CLIENT_CA with the authorities that issue certificates of clients',
    received: 'a server without TLS_CLIENT_CA',
    text: 'Without TLS_CLIENT_CA no certificate proves a name, also where a proxy has verified it.',
    fix: 'Set TLS_CLIENT_CA to a file with the authorities in PEM.',
  },
  issuer: {
    kind: 'issuer',
    expected: 'a certificate for clients that an authority of TLS_CLIENT_CA has issued',
    received: 'one of another issuer, or for another use',
    text: 'Anybody can write any name into a certificate: it counts only by its authority.',
    fix: 'Get the certificate from a listed authority. Behind a proxy the authority that has issued it must be listed itself, not only its root.',
  },
  holder: {
    kind: 'holder',
    expected: 'the name that the client is registered with',
    received: 'a certificate with',
    text: 'The certificate names somebody else.',
    fix: 'Compare them character by character. A subject is written as in RFC 4514: the most specific part first.',
  },
  unregistered: {
    kind: 'certificate-unregistered',
    expected: 'a certificate among the x5c of the keys that the client has registered',
    received: 'another one',
    text: 'With self_signed_tls_client_auth the certificate itself is registered, all of it.',
    fix: 'Add the certificate to jwks or to the document at jwks_uri, as the first x5c of its key.',
  },
  keysUnreachable: {
    kind: 'keys-unreachable',
    expected: 'the certificates of the client at its jwks_uri',
    received: 'no answer that is a JWK Set',
    text: 'The server could not read jwks_uri.',
    fix: 'Look at the address from the network of the server.',
  },
  otherCertificate: {
    kind: 'another-certificate',
    expected: 'the certificate that the token is bound to, x5t#S256',
    received: 'another one, x5t#S256',
    text: 'The certificate is right, but another one than the token is bound to.',
    fix: 'After a new certificate, get new tokens: refresh with it.',
  },
};

const ABOUT_TIMES: readonly CertificateFault[] = ['expired', 'notYetValid'];

export function certificateExplanation(context: Context, { fault, ...values }: FaultyCertificate): RowExplanation {
  const { kind, expected, received, text, fix } = FAULTS[fault];
  const isTime = ABOUT_TIMES.includes(fault);
  const client = context.snapshot.client === undefined ? '' : ` (${clientText(context)})`;
  return {
    expected: withValue(expected, isTime ? undefined : values.expected) + client,
    received: withValue(received, isTime ? timeText(Number(values.received)) : values.received),
    difference: { kinds: [kind], text },
    fix,
  };
}

/** A snapshot of an earlier release may lack the fault. */
export const certificateUnusable: Topic = context =>
  certificateExplanation(context, context.snapshot.facts?.certificate ?? { fault: 'missing' });

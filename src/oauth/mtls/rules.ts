/** Which check the certificate of a caller failed. */
export type CertificateFault =
  | 'missing'
  /** The header of the proxies, sent by a caller that is none. */
  | 'notFromProxy'
  /** More than one header. */
  | 'several'
  | 'malformed'
  | 'expired'
  | 'notYetValid'
  /** TLS_CLIENT_CA is not set: no certificate proves a name. */
  | 'noAuthorities'
  /** Of an authority that is not among those of TLS_CLIENT_CA, or not for clients. */
  | 'issuer'
  /** It names somebody else than the client is registered with. */
  | 'holder'
  /** Not among the certificates that the client has registered. */
  | 'unregistered'
  /** jwks_uri cannot be read. */
  | 'keysUnreachable'
  /** Right, and another one than the token is bound to. */
  | 'otherCertificate';

/** What the error description calls each. */
export const CERTIFICATE_PARTS: Readonly<Record<CertificateFault, string>> = {
  missing: 'missing',
  notFromProxy: 'missing',
  several: 'more than one',
  malformed: 'not a certificate',
  expired: 'expired',
  notYetValid: 'not yet valid',
  noAuthorities: 'issuer',
  issuer: 'issuer',
  holder: 'subject',
  unregistered: 'not registered',
  keysUnreachable: 'not registered',
  otherCertificate: 'another one',
};

export interface FaultyCertificate {
  readonly fault: CertificateFault;
  /** For the explanation. */
  readonly expected?: string | undefined;
  readonly received?: string | undefined;
}

interface Validity {
  readonly validFrom: string;
  readonly validTo: string;
}

/** `now`: whole seconds. The texts are those of OpenSSL, in UTC. */
export function validityFault({ validFrom, validTo }: Validity, now: number): FaultyCertificate | undefined {
  const [from, to] = [Date.parse(validFrom) / 1000, Date.parse(validTo) / 1000];
  if (!(from <= now)) return { fault: 'notYetValid', expected: String(now), received: String(from) };
  if (!(now <= to)) return { fault: 'expired', expected: String(now), received: String(to) };
  return undefined;
}

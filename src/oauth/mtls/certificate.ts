import { X509Certificate } from 'node:crypto';
import { BoundedCache } from '../../platform/bounded-cache.ts';
import type { ReceivedCertificate, Request } from '../../platform/http/message.ts';
import type { Services } from '../../services.ts';
import { authoritiesOf } from './authorities.ts';
import { readHeader } from './header.rules.ts';
import { missingCertificate } from './missing.ts';
import { type CertificateFault, type FaultyCertificate, validityFault } from './rules.ts';

/** The certificate of a caller, whose private key the caller has shown to possess: to this server, or to a trusted proxy. */
export interface CallerCertificate {
  readonly x509: X509Certificate;
  /** RFC 8705 section 3.1: SHA-256 of the certificate in DER, in base64url. */
  readonly thumbprint: string;
  /** Whether an authority of TLS_CLIENT_CA has issued it. */
  isIssuedByAuthority(): boolean;
}

/** One that can be read and is valid now. */
export function callerCertificate(services: Services, request: Request): CallerCertificate | FaultyCertificate {
  const received = request.certificate;
  if (!received) return missingCertificate(services, request);
  const x509 = received.from === 'connection' ? received.certificate : parsed(received.text);
  if (typeof x509 === 'string') return { fault: x509 };
  const validity = validityFault(x509, services.clock.now());
  if (validity) return validity;
  const isIssuedByAuthority = () => isTrusted(services, received, x509);
  return { x509, thumbprint: thumbprintOf(x509), isIssuedByAuthority };
}

/** A client sends the same certificate with each request. */
const parsedHeaders = new BoundedCache<string, X509Certificate>(1000);

function parsed(text: string): X509Certificate | CertificateFault {
  const known = parsedHeaders.get(text);
  if (known) return known;
  const der = readHeader(text);
  if (typeof der === 'string') return der;
  try {
    const x509 = new X509Certificate(der);
    // Nothing may stand behind it: what is compared is all of it.
    if (x509.raw.length !== der.length) return 'malformed';
    parsedHeaders.set(text, x509);
    return x509;
  } catch {
    return 'malformed';
  }
}

const thumbprints = new WeakMap<X509Certificate, string>();

export function thumbprintOf(x509: X509Certificate): string {
  const known = thumbprints.get(x509);
  if (known !== undefined) return known;
  const made = Buffer.from(x509.fingerprint256.replaceAll(':', ''), 'hex').toString('base64url');
  thumbprints.set(x509, made);
  return made;
}

/** id-kp-clientAuth and anyExtendedKeyUsage (RFC 5280 section 4.2.1.12). */
const CLIENT_USAGES: readonly string[] = ['1.3.6.1.5.5.7.3.2', '2.5.29.37.0'];

/**
 * A proxy passes on the certificate alone, so the authority that issued it has to be listed itself. From a connection OpenSSL also has the
 * certificates between, and has looked for a chain.
 */
function isTrusted({ config, clock }: Services, received: ReceivedCertificate, x509: X509Certificate): boolean {
  const authorities = authoritiesOf(config);
  if (authorities.length === 0) return false;
  // In node:crypto this is the extended usage; a certificate without one is for every use.
  if (x509.keyUsage && !x509.keyUsage.some(usage => CLIENT_USAGES.includes(usage))) return false;
  if (received.from === 'connection' && received.isIssuedByAuthority) return true;
  const now = clock.now();
  return authorities.some(
    authority => !validityFault(authority, now) && x509.checkIssued(authority) && x509.verify(authority.publicKey),
  );
}

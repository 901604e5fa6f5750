import 'reflect-metadata';
import { createHash, webcrypto } from 'node:crypto';
import { request } from 'node:https';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  type JsonGeneralNames,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

/** Certificates of clients and their authorities, made here: of every kind that a client might show. */
export interface Issued {
  readonly pem: string;
  /** PKCS #8 in PEM. */
  readonly key: string;
  readonly der: Buffer;
  /** `x5t#S256` (RFC 8705 section 3.1). */
  readonly thumbprint: string;
  /** With the certificate itself as `x5c` (RFC 7517 section 4.7). */
  readonly jwk: Record<string, unknown>;
}

export interface Authority extends Issued {
  readonly certificate: X509Certificate;
  readonly keys: CryptoKeyPair;
}

export interface CertificateParts {
  /** RFC 4514. */
  readonly subject?: string;
  readonly names?: JsonGeneralNames;
  /** Undefined: signed by its own key. */
  readonly issuer?: Authority | undefined;
  /** Whole seconds. */
  readonly from?: number;
  readonly until?: number;
  readonly usages?: readonly string[];
  readonly isAuthority?: boolean;
}

type CryptoKeyPair = webcrypto.CryptoKeyPair;

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY = 86_400;

export async function anAuthority(subject = 'CN=Authority', parts: CertificateParts = {}): Promise<Authority> {
  const made = await make({ subject, isAuthority: true, ...parts });
  return { ...(await issued(made.certificate, made.keys)), ...made };
}

export async function aCertificate(parts: CertificateParts = {}): Promise<Issued> {
  const { certificate, keys } = await make(parts);
  return issued(certificate, keys);
}

async function make(parts: CertificateParts) {
  const { subject = 'CN=web,O=Shop', names, issuer, usages, isAuthority = false } = parts;
  const now = Math.floor(Date.now() / 1000);
  const keys = (await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])) as CryptoKeyPair;
  const certificate = await X509CertificateGenerator.create({
    serialNumber: Buffer.from(webcrypto.getRandomValues(new Uint8Array(8))).toString('hex'),
    subject,
    issuer: issuer?.certificate.subject ?? subject,
    notBefore: new Date((parts.from ?? now - DAY) * 1000),
    notAfter: new Date((parts.until ?? now + DAY) * 1000),
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey: (issuer?.keys ?? keys).privateKey,
    extensions: [
      new BasicConstraintsExtension(isAuthority, undefined, true),
      ...(isAuthority ? [new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true)] : []),
      ...(issuer ? [await AuthorityKeyIdentifierExtension.create(issuer.certificate.publicKey)] : []),
      ...(usages ? [new ExtendedKeyUsageExtension([...usages])] : []),
      ...(names ? [new SubjectAlternativeNameExtension(names)] : []),
    ],
  });
  return { certificate, keys };
}

async function issued(certificate: X509Certificate, { privateKey, publicKey }: CryptoKeyPair): Promise<Issued> {
  const der = Buffer.from(certificate.rawData);
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', privateKey)).toString('base64');
  const { kty, crv, x, y } = await webcrypto.subtle.exportKey('jwk', publicKey);
  return {
    pem: certificate.toString('pem'),
    key: `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----\n`,
    der,
    thumbprint: createHash('sha256').update(der).digest('base64url'),
    jwk: { kty, crv, x, y, x5c: [der.toString('base64')] },
  };
}

/** `fetch` over TLS with this certificate. Each request has a connection of its own. `ca`: of the server. */
export function fetchWith(shown: Pick<Issued, 'pem' | 'key'> | undefined, ca: string): typeof fetch {
  return async (input, init = {}) => {
    const { method = 'GET', body } = init;
    const headers = Object.fromEntries(new Headers(init.headers));
    const sent = body === undefined || body === null ? undefined : String(body);
    if (body instanceof URLSearchParams) headers['content-type'] ??= 'application/x-www-form-urlencoded';
    const tls = { ca, agent: false as const, ...(shown && { cert: shown.pem, key: shown.key }) };
    return new Promise((resolve, reject) => {
      const outgoing = request(String(input), { method, headers, ...tls }, incoming => {
        const chunks: Buffer[] = [];
        incoming.on('data', chunk => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const answered = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]);
          const status = incoming.statusCode ?? 500;
          const text = chunks.length === 0 ? null : Buffer.concat(chunks);
          resolve(new Response(text, { status, headers: answered as [string, string][] }));
        });
      });
      outgoing.on('error', reject);
      outgoing.end(sent);
    });
  };
}

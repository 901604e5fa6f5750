import type { Settings } from './settings.ts';

/** TLS of its own, and the certificates of clients (RFC 8705). assembly/tls.ts reads the files. */
export interface TlsSettings {
  readonly port: number;
  /** Files in PEM. */
  readonly certificate: string;
  readonly key: string;
}

export interface ClientCertificateSettings {
  /** The header in which trusted proxies pass them on, in lower case; undefined: none. */
  readonly header: string | undefined;
  /** A file in PEM: the authorities whose certificates prove a name. */
  readonly authorities: string | undefined;
  /** The origin at which clients show their certificate; undefined: that of BASE_URL. */
  readonly baseUrl: string | undefined;
}

export function tlsContradictions(values: Settings): string[] {
  const { TLS_PORT: port, TLS_CERT, TLS_KEY, TLS_CLIENT_CA, CLIENT_CERTIFICATE_HEADER: header, MTLS_BASE_URL } = values;
  const faults: string[] = [];
  const parts = { TLS_CERT, TLS_KEY };
  for (const [name, value] of Object.entries(parts)) {
    if (port !== undefined && value === undefined) faults.push(`${name}: is required with TLS_PORT`);
    if (port === undefined && value !== undefined) faults.push(`${name}: is of use with TLS_PORT alone`);
  }
  if (port !== undefined && (port === values.PORT || port === values.GATEHOUSE_METRICS_PORT)) {
    faults.push('TLS_PORT: must differ from PORT and GATEHOUSE_METRICS_PORT');
  }
  if (header !== undefined && values.TRUSTED_PROXIES.rules.length === 0) {
    faults.push('CLIENT_CERTIFICATE_HEADER: needs TRUSTED_PROXIES, because it counts from these alone');
  }
  if (port !== undefined || header !== undefined) return faults;
  for (const [name, value] of Object.entries({ TLS_CLIENT_CA, MTLS_BASE_URL })) {
    if (value !== undefined) faults.push(`${name}: is of use with TLS_PORT or CLIENT_CERTIFICATE_HEADER alone`);
  }
  return faults;
}

export function tlsSettings({ TLS_PORT: port, TLS_CERT, TLS_KEY }: Settings): TlsSettings | undefined {
  if (port === undefined || TLS_CERT === undefined || TLS_KEY === undefined) return undefined;
  return { port, certificate: TLS_CERT, key: TLS_KEY };
}

export function clientCertificateSettings(values: Settings, baseUrl: string): ClientCertificateSettings | undefined {
  const { TLS_PORT: port, CLIENT_CERTIFICATE_HEADER: header, TLS_CLIENT_CA: authorities } = values;
  if (port === undefined && header === undefined) return undefined;
  const ofPort = port === undefined ? undefined : originAtPort(baseUrl, port);
  const own = values.MTLS_BASE_URL ?? ofPort;
  return { header, authorities, baseUrl: own === baseUrl ? undefined : own };
}

/** An origin has no port where it is that of its scheme. */
function originAtPort(baseUrl: string, port: number): string {
  return new URL(`https://${new URL(baseUrl).hostname}:${port}`).origin;
}

import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Config } from '../../platform/config/config.ts';

/** The authorities of TLS_CLIENT_CA, read once: a process has one configuration. */
const read = new WeakMap<Config, readonly X509Certificate[]>();

export function authoritiesOf(config: Config): readonly X509Certificate[] {
  const known = read.get(config);
  if (known) return known;
  const file = config.clientCertificates?.authorities;
  const authorities = file === undefined ? [] : readAuthorities(file);
  read.set(config, authorities);
  return authorities;
}

const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** A fault is one line: it ends the start. */
function readAuthorities(file: string): readonly X509Certificate[] {
  try {
    const authorities = (readFileSync(file, 'utf8').match(PEM) ?? []).map(text => new X509Certificate(text));
    if (authorities.length === 0) throw new Error('has no certificate in PEM');
    const other = authorities.find(({ ca }) => !ca);
    if (other) throw new Error(`has a certificate that is none of an authority: ${oneLine(other.subject)}`);
    return authorities;
  } catch (error) {
    throw new Error(`TLS_CLIENT_CA: ${(error as Error).message}`);
  }
}

function oneLine(subject: string): string {
  return subject.split('\n').join(', ');
}

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes key.pem and certificate.pem, for 127.0.0.1, localhost and id.example.com, into the folder. Returns the certificate. */
export function makeCertificate(folder: string): string {
  const hosts = 'DNS:id.example.com,DNS:localhost,IP:127.0.0.1';
  const names = ['-subj', '/CN=id.example.com', '-addext', `subjectAltName=${hosts}`];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  execFileSync('openssl', ['req', '-x509', ...key, ...names, '-keyout', 'key.pem', '-out', 'certificate.pem'], {
    cwd: folder,
    stdio: 'ignore',
  });
  return readFileSync(join(folder, 'certificate.pem'), 'utf8');
}

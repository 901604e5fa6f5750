import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../scripts/free-port.ts';
import type { Answered } from '../../build/client.ts';
import { aCertificate, anAuthority, fetchWith, type Issued } from '../../build/client-certificate.ts';
import { aClient } from '../../build/fixture.ts';

/** Certificates, and a server that takes them from its own TLS and from a proxy at 127.0.0.2. */
export const PROXY = '127.0.0.2';
const ADDRESS = { type: 'ip', value: '127.0.0.1' } as const;

export const authority = await anAuthority('CN=Trusted authority');
/** The same name by another key. */
export const impostor = await anAuthority('CN=Trusted authority');
/** The most specific part of a subject comes last here, and first in RFC 4514. */
const SUBJECT = 'O=Shop,CN=web';
export const HOLDER = 'CN=web,O=Shop';
export const own = await aCertificate({ issuer: authority, subject: SUBJECT });
export const another = await aCertificate({ issuer: authority, subject: 'O=Shop,CN=another' });
export const forged = await aCertificate({ issuer: impostor, subject: SUBJECT });
export const selfSigned = await aCertificate({ subject: SUBJECT });
/** Of another key, with the same name and serial number by chance. */
export const lookAlike = await aCertificate({ subject: SUBJECT });
export const expired = await aCertificate({
  issuer: authority,
  subject: SUBJECT,
  from: 1_000_000_000,
  until: 1_100_000_000,
});
export const future = await aCertificate({
  issuer: authority,
  subject: SUBJECT,
  from: 4_000_000_000,
  until: 4_100_000_000,
});

const ofServer = await aCertificate({ subject: 'CN=127.0.0.1', names: [ADDRESS] });
/** For all files of the process. */
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-mtls-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
export function written(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

export const tlsPort = await freePort();
export const mtlsBase = `https://127.0.0.1:${tlsPort}`;

export const TLS_ENV = {
  TLS_PORT: String(tlsPort),
  TLS_CERT: written('server.pem', ofServer.pem),
  TLS_KEY: written('server.key', ofServer.key),
  TLS_CLIENT_CA: written('authorities.pem', authority.pem),
};
export const HEADER_ENV = { CLIENT_CERTIFICATE_HEADER: 'Client-Cert', TRUSTED_PROXIES: PROXY };

export const at = (app = 'shop') => `${mtlsBase}/api/v1/authorize/${app}/oauth2`;

/** A client that authenticates by the certificate of the authority. */
export const byName = (over: Parameters<typeof aClient>[0] = {}) => {
  const { client_secret: _, ...client } = aClient({ token_endpoint_auth_method: 'tls_client_auth', ...over });
  return client;
};

type Fields = Readonly<Record<string, string | undefined>>;
type Send = (path: string, fields: Fields, headers?: Record<string, string>) => Promise<Answered>;

async function answered(response: Response): Promise<Answered> {
  const text = await response.text();
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  return { status: response.status, headers: response.headers, text, json };
}

export function form(fields: Fields): string {
  return new URLSearchParams(
    Object.entries(fields).filter((each): each is [string, string] => each[1] !== undefined),
  ).toString();
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** POST over TLS, with this certificate or with none. */
export const withCertificate =
  (shown?: Issued, app?: string): Send =>
  async (path, fields, headers = {}) =>
    answered(
      await fetchWith(shown, ofServer.pem)(at(app) + path, {
        method: 'POST',
        headers: { ...FORM, ...headers },
        body: form(fields),
      }),
    );

export const getWith = async (shown: Issued | undefined, url: string, headers: Record<string, string>) =>
  answered(await fetchWith(shown, ofServer.pem)(url, { headers }));

export const fetchAs = (shown?: Issued) => fetchWith(shown, ofServer.pem);

/** RFC 9440 section 2.1. */
export const byteSequence = ({ der }: Pick<Issued, 'der'>) => `:${der.toString('base64')}:`;
/** nginx's $ssl_client_escaped_cert. */
export const escapedPem = ({ pem }: Pick<Issued, 'pem'>) => encodeURIComponent(`${pem.trim()}\n`);

/** Over plain HTTP from this address, with these raw headers: the proxy, or somebody else. */
export function sendFrom(
  localAddress: string,
  url: string,
  headers: readonly (readonly [string, string])[],
  body?: string,
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const { hostname, port, pathname, host } = new URL(url);
    const raw = [['host', host] as const, ...Object.entries(body === undefined ? {} : FORM), ...headers].flat();
    const method = body === undefined ? 'GET' : 'POST';
    const length = body === undefined ? [] : ['content-length', String(Buffer.byteLength(body))];
    const outgoing = request(
      { hostname, port, path: pathname, method, localAddress, agent: false, headers: [...raw, ...length] },
      incoming => {
        let text = '';
        incoming.setEncoding('utf8').on('data', chunk => (text += chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const got = Object.entries(incoming.headers).map(
            ([name, value]) => [name, String(value)] as [string, string],
          );
          const json = text.startsWith('{') ? JSON.parse(text) : undefined;
          resolve({ status: incoming.statusCode ?? 0, headers: new Headers(got), text, json });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

import { type KeyObject, sign } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import type { TestServer } from '../../build/test-server.ts';
import { type Seen, Visitor } from '../../build/visitor.ts';
import { ISSUER, NOW, provider, RSA_SHA256, signed } from './messages.ts';

/** Requests of an identity provider to sign somebody out, right and hostile ones. */
export interface LogoutParts {
  readonly id?: string;
  readonly issuer?: string;
  readonly issued?: number;
  readonly destination?: string | null;
  readonly notOnOrAfter?: number | null;
  readonly subject?: string;
  readonly sessionIndex?: string;
  readonly name?: string;
}

type Server = Pick<TestServer, 'base'>;

const at = (seconds: number) => (Number.isNaN(seconds) ? 'soon' : new Date((NOW + seconds) * 1000).toISOString());

export const signedOutAt = ({ base }: Server, id = 'corp') => `${base}/login/provider/${id}/signed-out`;

let count = 0;

export function logoutXml(server: Server, parts: LogoutParts = {}): string {
  const { id = `_logout-${++count}`, issuer = ISSUER, issued = -5, destination = signedOutAt(server) } = parts;
  const { notOnOrAfter = 300, name = 'LogoutRequest', sessionIndex } = parts;
  const {
    subject = '<saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent">alice@corp.example</saml:NameID>',
  } = parts;
  const named = destination === null ? '' : ` Destination="${destination}"`;
  const ends = notOnOrAfter === null ? '' : ` NotOnOrAfter="${at(notOnOrAfter)}"`;
  const index = sessionIndex === undefined ? '' : `<samlp:SessionIndex>${sessionIndex}</samlp:SessionIndex>`;
  return `<samlp:${name} xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${id}" Version="2.0" IssueInstant="${at(issued)}"${named}${ends}><saml:Issuer>${issuer}</saml:Issuer>${subject}${index}</samlp:${name}>`;
}

export interface Sending {
  readonly key?: KeyObject;
  readonly algorithm?: string;
  readonly relayState?: string;
  /** Of the parameters, after they were signed. */
  readonly change?: (query: string) => string;
  /** Of the provider at whose address it arrives. */
  readonly to?: string;
}

export function redirectQuery(xml: string | Buffer, sending: Sending = {}): string {
  const { key = provider.privateKey, algorithm = RSA_SHA256, relayState, change = query => query } = sending;
  const encoded = encodeURIComponent(deflateRawSync(xml).toString('base64'));
  const state = relayState === undefined ? '' : `&RelayState=${encodeURIComponent(relayState)}`;
  const octets = `SAMLRequest=${encoded}${state}&SigAlg=${encodeURIComponent(algorithm)}`;
  const how = key.asymmetricKeyType === 'ec' ? ({ key, dsaEncoding: 'ieee-p1363' } as const) : key;
  const hash = algorithm.endsWith('sha1') ? 'sha1' : 'sha256';
  const value = sign(hash, Buffer.from(octets), how).toString('base64');
  return change(`${octets}&Signature=${encodeURIComponent(value)}`);
}

/** The browser that brings it is any. */
export function byRedirect(server: Server, xml: string | Buffer, sending: Sending = {}): Promise<Seen> {
  return new Visitor(server.base).go(`${signedOutAt(server, sending.to)}?${redirectQuery(xml, sending)}`);
}

export function byPost(server: Server, xml: string, { relayState, to }: Sending = {}): Promise<Seen> {
  const state = relayState === undefined ? {} : { RelayState: relayState };
  const fields = { SAMLRequest: Buffer.from(xml).toString('base64'), ...state };
  return new Visitor(server.base).go(signedOutAt(server, to), {
    method: 'POST',
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'cross-site' },
  });
}

/** With the signature that HTTP-POST has in the XML. */
export function signedLogout(xml: string, key?: KeyObject): string {
  return signed(xml, / ID="([^"]*)"/.exec(xml)?.[1] ?? '', key && { key });
}

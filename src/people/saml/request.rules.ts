import { createHash, type KeyObject, sign } from 'node:crypto';
import type { NamedSession } from '../federation/person.rules.ts';
import { canonicalForm } from './canonical.rules.ts';
import {
  ASSERTION,
  ENVELOPED_SIGNATURE,
  EXCLUSIVE_CANONICAL,
  type NameIdFormat,
  nameIdFormats,
  POST_BINDING,
  PROTOCOL,
  RSA_SHA256,
  SHA256,
  SIGNATURE,
  STATUS,
} from './names.rules.ts';
import { timeText } from './time.rules.ts';
import { escapeXml, readXml } from './xml.rules.ts';

/** What is asked of the provider (SAML core section 3.4.1). */
export interface AuthnRequest {
  readonly id: string;
  readonly time: number;
  readonly destination: string;
  /** Our entity ID. */
  readonly issuer: string;
  /** The assertion consumer service. */
  readonly callback: string;
  readonly nameIdFormat: NameIdFormat | undefined;
  /** The person has to authenticate anew. */
  readonly isForced: boolean;
}

/** The id of a request: an NCName cannot begin with a digit or a hyphen, which a state may. */
export function requestId(state: string): string {
  return `_${state}`;
}

/** Of what a response says that it answers; undefined: no request from here has such an id. */
export function stateIn(inResponseTo: string | undefined): string | undefined {
  return /^_([\w-]{22})$/.exec(inResponseTo ?? '')?.[1];
}

export function authnRequestXml(request: AuthnRequest, signature = ''): string {
  const { id, time, destination, issuer, callback, nameIdFormat, isForced } = request;
  const attributes = {
    ID: id,
    Version: '2.0',
    IssueInstant: timeText(time),
    Destination: destination,
    ...(isForced && { ForceAuthn: 'true' }),
    AssertionConsumerServiceURL: callback,
    ProtocolBinding: POST_BINDING,
  };
  const format = nameIdFormat === undefined ? '' : ` Format="${nameIdFormats[nameIdFormat]}"`;
  return `<samlp:AuthnRequest xmlns:samlp="${PROTOCOL}" xmlns:saml="${ASSERTION}"${written(attributes)}><saml:Issuer>${escapeXml(issuer)}</saml:Issuer>${signature}<samlp:NameIDPolicy${format} AllowCreate="true"/></samlp:AuthnRequest>`;
}

/** SAML core section 3.7.1. */
export interface LogoutRequest {
  readonly id: string;
  readonly time: number;
  readonly destination: string;
  readonly issuer: string;
  readonly named: NamedSession;
}

export function logoutRequestXml({ id, time, destination, issuer, named }: LogoutRequest): string {
  const { nameId, format, nameQualifier, spNameQualifier, sessionIndex } = named;
  const attributes = { ID: id, Version: '2.0', IssueInstant: timeText(time), Destination: destination };
  const name = { Format: format, NameQualifier: nameQualifier, SPNameQualifier: spNameQualifier };
  const index = sessionIndex === undefined ? '' : `<samlp:SessionIndex>${escapeXml(sessionIndex)}</samlp:SessionIndex>`;
  return `<samlp:LogoutRequest xmlns:samlp="${PROTOCOL}" xmlns:saml="${ASSERTION}"${written(attributes)}><saml:Issuer>${escapeXml(issuer)}</saml:Issuer><saml:NameID${written(name)}>${escapeXml(nameId)}</saml:NameID>${index}</samlp:LogoutRequest>`;
}

/** SAML core section 3.7.2: the session of the person has ended here. */
export interface LogoutAnswer {
  readonly id: string;
  readonly time: number;
  readonly destination: string;
  readonly issuer: string;
  readonly inResponseTo: string;
}

export function logoutAnswerXml(answer: LogoutAnswer, signature = ''): string {
  const { id, time, destination, issuer, inResponseTo } = answer;
  const attributes = {
    ID: id,
    Version: '2.0',
    IssueInstant: timeText(time),
    Destination: destination,
    InResponseTo: inResponseTo,
  };
  return `<samlp:LogoutResponse xmlns:samlp="${PROTOCOL}" xmlns:saml="${ASSERTION}"${written(attributes)}><saml:Issuer>${escapeXml(issuer)}</saml:Issuer>${signature}<samlp:Status><samlp:StatusCode Value="${STATUS}Success"/></samlp:Status></samlp:LogoutResponse>`;
}

export function signedLogoutAnswerXml(answer: LogoutAnswer, key: KeyObject): string {
  return signedXml(answer.id, signature => logoutAnswerXml(answer, signature), key);
}

function written(attributes: Readonly<Record<string, string | undefined>>): string {
  const all = Object.entries(attributes);
  return all.map(([name, value]) => (value === undefined ? '' : ` ${name}="${escapeXml(value)}"`)).join('');
}

/** With an enveloped signature, for the HTTP-POST binding (SAML core section 5.4). */
export function signedRequestXml(request: AuthnRequest, key: KeyObject): string {
  return signedXml(request.id, signature => authnRequestXml(request, signature), key);
}

/** `write`: the message with this signature in its place. */
function signedXml(id: string, write: (signature: string) => string, key: KeyObject): string {
  const digest = createHash('sha256')
    .update(canonicalText(write('')))
    .digest('base64');
  const transforms = [ENVELOPED_SIGNATURE, EXCLUSIVE_CANONICAL].map(each => `<ds:Transform Algorithm="${each}"/>`);
  const signedInfo = `<ds:SignedInfo xmlns:ds="${SIGNATURE}"><ds:CanonicalizationMethod Algorithm="${EXCLUSIVE_CANONICAL}"/><ds:SignatureMethod Algorithm="${RSA_SHA256}"/><ds:Reference URI="#${id}"><ds:Transforms>${transforms.join('')}</ds:Transforms><ds:DigestMethod Algorithm="${SHA256}"/><ds:DigestValue>${digest}</ds:DigestValue></ds:Reference></ds:SignedInfo>`;
  const value = sign('sha256', Buffer.from(canonicalText(signedInfo)), key).toString('base64');
  const signature = `<ds:Signature xmlns:ds="${SIGNATURE}">${signedInfo}<ds:SignatureValue>${value}</ds:SignatureValue></ds:Signature>`;
  return write(signature);
}

function canonicalText(xml: string): string {
  const read = readXml(xml, { maxLength: xml.length });
  if (read.kind === 'refused') throw new Error(`XML that is written here ${read.fault}`);
  return canonicalForm(read.root);
}

/** SAML bindings section 3.4.4.1: the signature covers the parameters exactly as they are sent. */
export function redirectAddress(
  destination: string,
  deflated: Buffer,
  key: KeyObject | undefined,
  {
    name = 'SAMLRequest',
    relayState,
  }: { readonly name?: 'SAMLRequest' | 'SAMLResponse'; readonly relayState?: string | undefined } = {},
): string {
  const state = relayState === undefined ? '' : `&RelayState=${encodeURIComponent(relayState)}`;
  const message = `${name}=${encodeURIComponent(deflated.toString('base64'))}${state}`;
  const query = key ? signedQuery(`${message}&SigAlg=${encodeURIComponent(RSA_SHA256)}`, key) : message;
  return `${destination}${destination.includes('?') ? '&' : '?'}${query}`;
}

function signedQuery(query: string, key: KeyObject): string {
  const signature = sign('sha256', Buffer.from(query), key).toString('base64');
  return `${query}&Signature=${encodeURIComponent(signature)}`;
}

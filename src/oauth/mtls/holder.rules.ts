import { isIP } from 'node:net';
import type { Client } from '../../directory/clients/rules.ts';
import { elementsIn, readOid } from './der.rules.ts';
import { type DistinguishedName, formatName, isSameName, parseName, readName } from './distinguished-name.rules.ts';

/** Whom a certificate names: its subject and its alternative names (RFC 5280 sections 4.1.2.6 and 4.2.1.6). */
export interface Holder {
  readonly subject: DistinguishedName;
  readonly dns: readonly string[];
  readonly uri: readonly string[];
  /** As they are compared (`canonicalIp`). */
  readonly ip: readonly string[];
  readonly email: readonly string[];
}

/** RFC 8705 section 2.1.2: a client is registered with exactly one of them. */
export const holderFields = [
  'tls_client_auth_subject_dn',
  'tls_client_auth_san_dns',
  'tls_client_auth_san_uri',
  'tls_client_auth_san_ip',
  'tls_client_auth_san_email',
] as const;

export type HolderFields = Pick<Client, (typeof holderFields)[number]>;

const SEQUENCE = 0x30;
const VERSION = 0xa0;
const EXTENSIONS = 0xa3;
const SUBJECT_ALT_NAME = '2.5.29.17';

/** `der`: a certificate that OpenSSL has parsed. Undefined: its names cannot be read. */
export function readHolder(der: Buffer): Holder | undefined {
  try {
    const [certificate] = elementsIn(der);
    const [signed] = elementsIn(certificate?.content ?? Buffer.alloc(0));
    const parts = elementsIn(signed?.content ?? Buffer.alloc(0));
    // serialNumber, signature, issuer, validity, subject: after the version, which only version 1 leaves out.
    const subject = parts[parts[0]?.tag === VERSION ? 5 : 4];
    if (subject?.tag !== SEQUENCE) return undefined;
    const extensions = parts.find(({ tag }) => tag === EXTENSIONS);
    const names = extensions ? alternativeNames(extensions.content) : [];
    const of = (tag: number) => names.filter(each => each.tag === tag).map(({ content }) => content);
    const texts = (tag: number) => of(tag).map(content => content.toString('latin1'));
    return {
      subject: readName(subject.content),
      email: texts(0x81),
      dns: texts(0x82),
      uri: texts(0x86),
      ip: of(0x87).flatMap(bytes => ipOfBytes(bytes) ?? []),
    };
  } catch {
    return undefined;
  }
}

function alternativeNames(extensions: Buffer) {
  const [list] = elementsIn(extensions);
  for (const { content } of elementsIn(list?.content ?? Buffer.alloc(0))) {
    const parts = elementsIn(content);
    if (!parts[0] || readOid(parts[0].content) !== SUBJECT_ALT_NAME) continue;
    const [names] = elementsIn(parts.at(-1)?.content ?? Buffer.alloc(0));
    return elementsIn(names?.content ?? Buffer.alloc(0));
  }
  return [];
}

function ipOfBytes(bytes: Buffer): string | undefined {
  if (bytes.length === 4) return canonicalIp(bytes.join('.'));
  if (bytes.length !== 16) return undefined;
  const groups = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(index * 2).toString(16));
  return canonicalIp(groups.join(':'));
}

/** One text for all ways to write an address. Undefined: it is none. */
export function canonicalIp(text: string): string | undefined {
  const version = isIP(text);
  if (version === 0 || text.includes('%')) return undefined;
  return version === 4 ? text : new URL(`http://[${text}]/`).hostname;
}

/** Whether the certificate names the client as it is registered. Names are compared whole: a `*` stands for itself. */
export function namesClient(holder: Holder, client: HolderFields): boolean {
  const { tls_client_auth_subject_dn: dn, tls_client_auth_san_dns: dns, tls_client_auth_san_uri: uri } = client;
  const { tls_client_auth_san_ip: ip, tls_client_auth_san_email: email } = client;
  if (dn !== undefined) {
    const expected = parseName(dn);
    return expected !== undefined && isSameName(holder.subject, expected);
  }
  if (dns !== undefined) return holder.dns.some(each => each.toLowerCase() === dns.toLowerCase());
  if (uri !== undefined) return holder.uri.includes(uri);
  if (ip !== undefined) return holder.ip.includes(canonicalIp(ip) ?? '');
  return email !== undefined && holder.email.some(each => isSameMailbox(each, email));
}

/** RFC 5280 section 7.5: case counts before the @, and not behind it. */
function isSameMailbox(one: string, other: string): boolean {
  const [at, otherAt] = [one.lastIndexOf('@'), other.lastIndexOf('@')];
  return (
    one.slice(0, at) === other.slice(0, otherAt) && one.slice(at).toLowerCase() === other.slice(otherAt).toLowerCase()
  );
}

/** For the explanation: what the client is registered with, and what of this kind the certificate has. */
export function comparedNames(holder: Holder | undefined, client: HolderFields) {
  const field = holderFields.find(name => client[name] !== undefined);
  if (!field || !holder) return { expected: field && client[field], received: undefined };
  const kind = field.slice(field.lastIndexOf('_') + 1) as 'dn' | 'dns' | 'uri' | 'ip' | 'email';
  const received = kind === 'dn' ? formatName(holder.subject) : holder[kind].join(', ');
  return { expected: client[field], received: received.slice(0, MAX_SHOWN_LENGTH) };
}

const MAX_SHOWN_LENGTH = 300;

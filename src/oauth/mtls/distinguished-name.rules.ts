import { elementsIn, readOid, readText } from './der.rules.ts';

/** A distinguished name as a certificate has it: sets of attributes, the most general first. Each is a text that can be compared. */
export type DistinguishedName = readonly (readonly string[])[];

/** RFC 4514 section 3, RFC 5280 section 4.1.2.4 and what OpenSSL writes: the short names of attribute types. */
const TYPES: Readonly<Record<string, string>> = {
  cn: '2.5.4.3',
  sn: '2.5.4.4',
  surname: '2.5.4.4',
  serialnumber: '2.5.4.5',
  c: '2.5.4.6',
  l: '2.5.4.7',
  st: '2.5.4.8',
  s: '2.5.4.8',
  street: '2.5.4.9',
  o: '2.5.4.10',
  ou: '2.5.4.11',
  title: '2.5.4.12',
  t: '2.5.4.12',
  businesscategory: '2.5.4.15',
  postalcode: '2.5.4.17',
  name: '2.5.4.41',
  givenname: '2.5.4.42',
  gn: '2.5.4.42',
  initials: '2.5.4.43',
  generationqualifier: '2.5.4.44',
  dnqualifier: '2.5.4.46',
  pseudonym: '2.5.4.65',
  organizationidentifier: '2.5.4.97',
  uid: '0.9.2342.19200300.100.1.1',
  userid: '0.9.2342.19200300.100.1.1',
  dc: '0.9.2342.19200300.100.1.25',
  emailaddress: '1.2.840.113549.1.9.1',
  e: '1.2.840.113549.1.9.1',
  jurisdictionc: '1.3.6.1.4.1.311.60.2.1.3',
  jurisdictioncountryname: '1.3.6.1.4.1.311.60.2.1.3',
};

/** `name`: the content of a Name (RFC 5280 section 4.1.2.4). */
export function readName(name: Buffer): DistinguishedName {
  return elementsIn(name).map(set => elementsIn(set.content).map(readAttribute).sort());
}

function readAttribute({ content }: { readonly content: Buffer }): string {
  const [type, value] = elementsIn(content);
  if (!type || !value) throw new Error('not DER');
  return attribute(readOid(type.content), readText(value), value.whole);
}

/** The value as a text where it has one; else its bytes, as RFC 4514 section 2.4 writes them. */
function attribute(oid: string, text: string | undefined, whole: Buffer): string {
  return text === undefined ? `${oid}=#${whole.toString('hex')}` : `${oid}="${text}"`;
}

/** RFC 4514: the text of a name, the most specific part first. Undefined: it is none. */
export function parseName(text: string): DistinguishedName | undefined {
  const sets: string[][] = [[]];
  for (let at = 0; at <= text.length; ) {
    const found = ATTRIBUTE.exec(text.slice(at));
    const [all = '', type = '', value = '', end = ''] = found ?? [];
    const read = found ? readValue(type, value) : undefined;
    if (read === undefined) return undefined;
    sets.at(-1)?.push(read);
    at += all.length;
    if (end === '') break;
    if (end === ',') sets.push([]);
  }
  return sets.map(set => set.sort()).reverse();
}

/** Section 3: a type, its value with escaped characters, and what comes after it. Spaces around both are those of RFC 2253. */
const ATTRIBUTE = /^ *([A-Za-z][A-Za-z0-9-]*|\d+(?:\.\d+)+) *= *((?:\\[\s\S]|[^\\,+"<>;\0])*?) *([,+]|$)/;

function readValue(type: string, value: string): string | undefined {
  const oid = /^\d/.test(type) ? type : TYPES[type.toLowerCase()];
  if (oid === undefined) return undefined;
  if (value.startsWith('#')) return readBytes(oid, value.slice(1));
  const text = unescaped(value);
  return text === undefined ? undefined : attribute(oid, text, Buffer.alloc(0));
}

function readBytes(oid: string, hex: string): string | undefined {
  if (!/^([0-9a-fA-F]{2})+$/.test(hex)) return undefined;
  try {
    const [value, ...more] = elementsIn(Buffer.from(hex, 'hex'));
    return value && more.length === 0 ? attribute(oid, readText(value), value.whole) : undefined;
  } catch {
    return undefined;
  }
}

/** Section 2.4: `\,` is the character, `\C3\A9` are bytes of UTF-8. */
function unescaped(value: string): string | undefined {
  const bytes: Buffer[] = [];
  for (const [all, hex, escaped] of value.matchAll(/\\([0-9a-fA-F]{2})|\\([ "#+,;<=>\\])|[^\\]+|\\/g)) {
    if (all === '\\') return undefined;
    bytes.push(hex === undefined ? Buffer.from(escaped ?? all) : Buffer.from(hex, 'hex'));
  }
  const whole = Buffer.concat(bytes);
  const text = whole.toString('utf8');
  return Buffer.from(text).equals(whole) ? text : undefined;
}

export function isSameName(one: DistinguishedName, other: DistinguishedName): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** For the explanation: as RFC 4514 writes it, and as `tls_client_auth_subject_dn` takes it. */
export function formatName(name: DistinguishedName): string {
  return name
    .map(set => set.map(formatAttribute).join('+'))
    .reverse()
    .join(',');
}

const SHORT_NAMES = new Map(Object.entries(TYPES).map(([name, oid]) => [oid, name]));

function formatAttribute(text: string): string {
  const mark = text.indexOf('=');
  const oid = text.slice(0, mark);
  const value = text.slice(mark + 1);
  const escaped = value.startsWith('"') ? value.slice(1, -1).replace(/[,+"\\<>;=]|^[ #]| $/g, '\\$&') : value;
  return `${SHORT_NAMES.get(oid)?.toUpperCase() ?? oid}=${escaped}`;
}

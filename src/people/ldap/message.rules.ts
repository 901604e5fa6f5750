import {
  BerFault,
  boolean,
  contentOf,
  type Element,
  element,
  elementsOf,
  integer,
  integerOf,
  octets,
  TAG,
} from './ber.rules.ts';

/** Pure: the messages of LDAP that this server sends and takes (RFC 4511 section 4). All others end the connection. */

/** Simple authentication (section 4.2.1). The caller has seen to it that neither is empty: that would be no authentication at all. */
export function bindRequest(id: number, dn: string, password: string): Buffer {
  return message(id, element(0x60, integer(3), octets(dn), octets(password, 0x80)));
}

export interface Search {
  readonly base: string;
  readonly scope: 'entry' | 'subtree';
  readonly filter: Buffer;
  readonly attributes: readonly string[];
  readonly maxEntries: number;
  readonly timeoutSeconds: number;
  readonly page: { readonly size: number; readonly cookie: Buffer };
}

const SCOPES = { entry: 0, subtree: 2 } as const;
const NEVER_DEREFERENCED = 0;
/** RFC 2696. Not critical: a directory that does not know it answers all the same. */
const PAGED_RESULTS = '1.2.840.113556.1.4.319';

export function searchRequest(id: number, search: Search): Buffer {
  const { base, scope, filter, attributes, maxEntries, timeoutSeconds, page } = search;
  const request = element(
    0x63,
    octets(base),
    integer(SCOPES[scope], TAG.enumerated),
    integer(NEVER_DEREFERENCED, TAG.enumerated),
    integer(maxEntries),
    integer(timeoutSeconds),
    boolean(false),
    filter,
    element(TAG.sequence, ...attributes.map(name => octets(name))),
  );
  const paging = element(TAG.sequence, integer(page.size), octets(page.cookie));
  return message(id, request, element(0xa0, element(TAG.sequence, octets(PAGED_RESULTS), octets(paging))));
}

/** Section 4.14. */
export function startTlsRequest(id: number): Buffer {
  return message(id, element(0x77, octets('1.3.6.1.4.1.1466.20037', 0x80)));
}

export function unbindRequest(id: number): Buffer {
  return message(id, element(0x42));
}

function message(id: number, ...parts: readonly Buffer[]): Buffer {
  return element(TAG.sequence, integer(id), ...parts);
}

export type Response =
  | ({ readonly kind: 'bound' | 'found' | 'extended' } & Result)
  | ({ readonly kind: 'entry' } & Entry)
  /** Where another server would have more: it is never asked (section 4.5.3). */
  | { readonly kind: 'reference' };

export interface Result {
  readonly code: number;
  /** What the directory says about it, in words of its own. */
  readonly diagnostic: string;
  /** Where the next page begins. Undefined: there is none. */
  readonly cookie: Buffer | undefined;
}

export interface Entry {
  readonly dn: string;
  /** By names in small letters. */
  readonly attributes: ReadonlyMap<string, readonly Buffer[]>;
}

const RESULTS: Readonly<Record<number, 'bound' | 'found' | 'extended'>> = {
  97: 'bound',
  101: 'found',
  120: 'extended',
};
const ENTRY = 0x64;
const REFERENCE = 0x73;

export function readResponse(bytes: Buffer): { readonly id: number; readonly response: Response } {
  const [whole] = elementsOf(bytes);
  const [id, operation, controls] = elementsOf(contentOf(whole, TAG.sequence));
  return { id: integerOf(id), response: responseOf(operation, controls) };
}

function responseOf(operation: Element | undefined, controls: Element | undefined): Response {
  if (!operation) throw new BerFault('a message has no operation');
  const { tag, content } = operation;
  if (tag === REFERENCE) return { kind: 'reference' };
  if (tag === ENTRY) return { kind: 'entry', ...entryOf(content) };
  const kind = RESULTS[tag];
  if (kind === undefined) throw new BerFault(`a message has the operation ${tag}`);
  const [code, matched, diagnostic] = elementsOf(content);
  contentOf(matched, TAG.octets);
  return {
    kind,
    code: integerOf(code, TAG.enumerated),
    diagnostic: contentOf(diagnostic, TAG.octets).toString(),
    cookie: controls && cookieIn(controls),
  };
}

function entryOf(content: Buffer): Entry {
  const [dn, list] = elementsOf(content);
  const attributes = new Map<string, Buffer[]>();
  for (const attribute of elementsOf(contentOf(list, TAG.sequence))) {
    const [name, values] = elementsOf(contentOf(attribute, TAG.sequence));
    const found = elementsOf(contentOf(values, TAG.set)).map(value => contentOf(value, TAG.octets));
    attributes.set(contentOf(name, TAG.octets).toString('latin1').toLowerCase(), found);
  }
  return { dn: contentOf(dn, TAG.octets).toString(), attributes };
}

const CONTROLS = 0xa0;

function cookieIn(controls: Element): Buffer | undefined {
  for (const control of elementsOf(contentOf(controls, CONTROLS))) {
    const [type, ...rest] = elementsOf(contentOf(control, TAG.sequence));
    if (contentOf(type, TAG.octets).toString('latin1') !== PAGED_RESULTS) continue;
    const [paging] = elementsOf(contentOf(rest.at(-1), TAG.octets));
    const [, cookie] = elementsOf(contentOf(paging, TAG.sequence));
    const found = contentOf(cookie, TAG.octets);
    return found.length === 0 ? undefined : found;
  }
  return undefined;
}

/**
 * XML as SAML messages need it, and no more: elements, attributes, namespaces, text, character references and the five predefined
 * entities. What a parser and a verifier of signatures could read differently is refused instead of read: document types (and so entities
 * of one's own), processing instructions, CDATA, comments, names outside of ASCII, namespaces that are no absolute URI. The tree that is
 * built here is the one that is canonicalised, verified and read, so there are no two views of a document.
 */
export interface XmlElement {
  readonly prefix: string;
  readonly name: string;
  readonly namespace: string;
  readonly attributes: readonly XmlAttribute[];
  /** Every namespace that is in scope, by prefix; the default one has the prefix ''. */
  readonly scope: Scope;
  readonly children: readonly (XmlElement | string)[];
}

export interface XmlAttribute {
  readonly prefix: string;
  readonly name: string;
  readonly namespace: string;
  readonly value: string;
}

export type Scope = ReadonlyMap<string, string>;

export type XmlFault =
  | 'malformed'
  | 'encoding'
  | 'tooLarge'
  | 'tooDeep'
  | 'documentType'
  | 'entity'
  | 'processingInstruction'
  | 'cdata'
  | 'comment'
  | 'character'
  | 'namespace'
  | 'duplicateAttribute';

export type XmlRead =
  | { readonly kind: 'read'; readonly root: XmlElement }
  | { readonly kind: 'refused'; readonly fault: XmlFault };

export interface XmlOptions {
  readonly maxLength: number;
  /** Metadata that people edit has comments. Nothing in it is read by its signature, so they are skipped. */
  readonly comments?: 'skip';
  /** Of the place where the element was encrypted: it may use prefixes that are declared around it. */
  readonly scope?: Scope;
}

const MAX_DEPTH = 40;
/** An assertion with 2000 values has half as many. */
const MAX_ELEMENTS = 5000;
const MAX_ATTRIBUTES = 64;
/** A SAML response has about eight. Each element that declares one copies the others. */
const MAX_NAMESPACES = 64;

const XML_NAMESPACE = 'http://www.w3.org/XML/1998/namespace';
const XMLNS_NAMESPACE = 'http://www.w3.org/2000/xmlns/';
const ROOT_SCOPE: Scope = new Map([
  ['', ''],
  ['xml', XML_NAMESPACE],
]);

const NAME = '(?:([A-Za-z_][\\w.-]*):)?([A-Za-z_][\\w.-]*)';
const START = new RegExp(`<${NAME}`, 'y');
const END = new RegExp(`</${NAME}[ \\t\\n]*>`, 'y');
const ATTRIBUTE = new RegExp(`[ \\t\\n]+${NAME}[ \\t\\n]*=[ \\t\\n]*(?:"([^"<]*)"|'([^'<]*)')`, 'y');
const CLOSE = /[ \t\n]*(\/?)>/y;
const DECLARATION =
  /^<\?xml[ \t\n]+version=(?:"1\.0"|'1\.0')(?:[ \t\n]+encoding=["']([\w-]+)["'])?(?:[ \t\n]+standalone=["'](?:yes|no)["'])?[ \t\n]*\?>/;
const FORBIDDEN_CHARACTER = /[^\t\n\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;
/** RFC 3986 section 4.3. The canonical form of a relative one is not defined (Canonical XML 1.0 section 1.3). */
const ABSOLUTE_URI = /^[A-Za-z][A-Za-z0-9+.-]*:[\x21-\x7e]+$/;

interface OpenElement extends XmlElement {
  readonly children: (XmlElement | string)[];
}

export function readXml(text: string, options: XmlOptions): XmlRead {
  if (text.length > options.maxLength) return refused('tooLarge');
  const normal = text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
  if (FORBIDDEN_CHARACTER.test(normal)) return refused('character');
  const declaration = DECLARATION.exec(normal);
  if (declaration && !/^utf-?8$/i.test(declaration[1] ?? 'utf-8')) return refused('encoding');
  const read = readElements(normal, declaration?.[0].length ?? 0, options);
  return typeof read === 'string' ? refused(read) : { kind: 'read', root: read };
}

function refused(fault: XmlFault): XmlRead {
  return { kind: 'refused', fault };
}

function readElements(
  text: string,
  start: number,
  { comments, scope = ROOT_SCOPE }: XmlOptions,
): XmlElement | XmlFault {
  const open: OpenElement[] = [];
  let count = 0;
  let root: XmlElement | undefined;
  let at = start;
  for (;;) {
    const next = text.indexOf('<', at);
    const parent = open.at(-1);
    const fault = addText(parent, text.slice(at, next < 0 ? undefined : next));
    if (fault) return fault;
    if (next < 0) return root && !parent ? root : 'malformed';
    at = next;
    const other = otherMarkup(text, at);
    if (other === 'comment' && comments === 'skip') {
      const end = text.indexOf('--', at + 4);
      if (end < 0 || text[end + 2] !== '>') return 'malformed';
      at = end + 3;
    } else if (other) {
      return other;
    } else if (text[at + 1] === '/') {
      const name = matchAt(END, text, at);
      if (!name || !parent || parent.prefix !== (name[1] ?? '') || parent.name !== name[2]) return 'malformed';
      at = END.lastIndex;
      open.pop();
    } else {
      if (root && !parent) return 'malformed';
      if (++count > MAX_ELEMENTS) return 'tooLarge';
      const element = readStart(text, at, parent?.scope ?? scope);
      if (typeof element === 'string') return element;
      if (parent) parent.children.push(element.element);
      root ??= element.element;
      at = element.end;
      if (!element.isEmpty) open.push(element.element);
      if (open.length > MAX_DEPTH) return 'tooDeep';
    }
  }
}

function addText(parent: OpenElement | undefined, raw: string): XmlFault | undefined {
  if (raw === '') return undefined;
  if (!parent) return /^[ \t\n]*$/.test(raw) ? undefined : 'malformed';
  if (raw.includes(']]>')) return 'malformed';
  const value = resolveReferences(raw);
  if (value === undefined) return 'entity';
  const last = parent.children.at(-1);
  // Around a comment that was skipped: one text, as canonical XML has it.
  if (typeof last === 'string') parent.children[parent.children.length - 1] = last + value;
  else parent.children.push(value);
  return undefined;
}

function otherMarkup(text: string, at: number): XmlFault | undefined {
  if (text[at + 1] === '?') return 'processingInstruction';
  if (text[at + 1] !== '!') return undefined;
  if (text.startsWith('<!--', at)) return 'comment';
  return text.startsWith('<![CDATA[', at) ? 'cdata' : 'documentType';
}

interface Start {
  readonly element: OpenElement;
  readonly end: number;
  readonly isEmpty: boolean;
}

function readStart(text: string, at: number, outer: Scope): Start | XmlFault {
  const name = matchAt(START, text, at);
  if (!name) return 'malformed';
  let end = START.lastIndex;
  const written: (readonly [prefix: string, name: string, value: string])[] = [];
  for (let found = matchAt(ATTRIBUTE, text, end); found; found = matchAt(ATTRIBUTE, text, end)) {
    end = ATTRIBUTE.lastIndex;
    const value = resolveReferences((found[3] ?? found[4] ?? '').replace(/[\t\n]/g, ' '));
    if (value === undefined) return 'entity';
    written.push([found[1] ?? '', found[2] ?? '', value]);
    if (written.length > MAX_ATTRIBUTES) return 'tooLarge';
  }
  const close = matchAt(CLOSE, text, end);
  if (!close) return 'malformed';
  const scope = declare(outer, written);
  if (!scope) return 'namespace';
  const attributes = resolve(scope, written);
  if (typeof attributes === 'string') return attributes;
  const prefix = name[1] ?? '';
  const namespace = scope.get(prefix);
  if (namespace === undefined || prefix === 'xml' || prefix === 'xmlns') return 'namespace';
  const element = { prefix, name: name[2] ?? '', namespace, attributes, scope, children: [] };
  return { element, end: CLOSE.lastIndex, isEmpty: close[1] === '/' };
}

type Written = readonly (readonly [prefix: string, name: string, value: string])[];

/** Namespaces in XML 1.0, section 3. */
function declare(outer: Scope, written: Written): Scope | undefined {
  const declarations = written.filter(isDeclaration);
  if (declarations.length === 0) return outer;
  const scope = new Map(outer);
  const names = new Set<string>();
  for (const [prefix, name, uri] of declarations) {
    const declared = prefix === 'xmlns' ? name : '';
    const isReserved = declared === 'xml' || declared === 'xmlns' || uri === XML_NAMESPACE || uri === XMLNS_NAMESPACE;
    const isUri = ABSOLUTE_URI.test(uri) || (uri === '' && declared === '');
    if (isReserved || !isUri || names.has(declared)) return undefined;
    names.add(declared);
    scope.set(declared, uri);
  }
  return scope.size > MAX_NAMESPACES ? undefined : scope;
}

function isDeclaration([prefix, name]: Written[number]): boolean {
  return prefix === 'xmlns' || (prefix === '' && name === 'xmlns');
}

function resolve(scope: Scope, written: Written): readonly XmlAttribute[] | XmlFault {
  const attributes: XmlAttribute[] = [];
  const names = new Set<string>();
  for (const each of written) {
    if (isDeclaration(each)) continue;
    const [prefix, name, value] = each;
    const namespace = prefix === '' ? '' : scope.get(prefix);
    if (namespace === undefined) return 'namespace';
    const expanded = `${namespace} ${name}`;
    if (names.has(expanded)) return 'duplicateAttribute';
    names.add(expanded);
    attributes.push({ prefix, name, namespace, value });
  }
  return attributes;
}

const PREDEFINED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Undefined: it has an entity that is not predefined, or refers to a character that XML does not have. */
function resolveReferences(raw: string): string | undefined {
  if (!raw.includes('&')) return raw;
  let isRight = true;
  const value = raw.replace(/&(?:#x([0-9A-Fa-f]{1,6});|#([0-9]{1,7});|(amp|lt|gt|quot|apos);)?/g, (...found) => {
    const [, hexadecimal, decimal, name] = found as (string | undefined)[];
    if (name !== undefined) return PREDEFINED[name] ?? '';
    const code = hexadecimal !== undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal ?? Number.NaN);
    const character = code <= 0x10ffff ? String.fromCodePoint(code) : '\0';
    // A carriage return can be written as a reference only.
    if (character !== '\r' && FORBIDDEN_CHARACTER.test(character)) isRight = false;
    return character;
  });
  return isRight ? value : undefined;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** The child elements of this name. */
export function childrenNamed({ children }: XmlElement, namespace: string, name: string): readonly XmlElement[] {
  return children.filter(
    (child): child is XmlElement => typeof child !== 'string' && child.namespace === namespace && child.name === name,
  );
}

/** The one child of this name; undefined where there are none or several. */
export function onlyChild(element: XmlElement, namespace: string, name: string): XmlElement | undefined {
  const found = childrenNamed(element, namespace, name);
  return found.length === 1 ? found[0] : undefined;
}

/** The value of an attribute that has no namespace. */
export function attribute({ attributes }: XmlElement, name: string): string | undefined {
  return attributes.find(each => each.namespace === '' && each.name === name)?.value;
}

/** The text of an element without child elements; undefined: it has some. */
export function textOf({ children }: XmlElement): string | undefined {
  if (children.length === 0) return '';
  const [only] = children;
  return children.length === 1 && typeof only === 'string' ? only : undefined;
}

/** The element itself and everything in it, in the order of the document. */
export function* elementsIn(element: XmlElement): Generator<XmlElement> {
  yield element;
  for (const child of element.children) if (typeof child !== 'string') yield* elementsIn(child);
}

/** Of text and of values of attributes, for XML that is written here. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"\t\n\r]/g, character => ESCAPED[character] ?? character);
}

const ESCAPED: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#x9;',
  '\n': '&#xA;',
  '\r': '&#xD;',
};

import type { Scope, XmlAttribute, XmlElement } from './xml.rules.ts';

/** Exclusive XML Canonicalization 1.0 without comments (the reader of xml.rules.ts has none) of an element and all that is in it. */
export interface CanonicalOptions {
  /** Left out with all that is in it: the signature itself, in what it signs (XML Signature section 6.6.4). */
  readonly without?: XmlElement;
  /** The prefixes of `InclusiveNamespaces`, which are treated as Canonical XML 1.0 treats them. The default namespace is ''. */
  readonly inclusive?: readonly string[];
}

export function canonicalForm(element: XmlElement, options: CanonicalOptions = {}): string {
  const parts: string[] = [];
  write(element, new Map([['', '']]), options, parts);
  return parts.join('');
}

/** `rendered`: what the output ancestors have declared. */
function write(element: XmlElement, rendered: Scope, options: CanonicalOptions, parts: string[]): void {
  const declared = declarationsOf(element, rendered, options.inclusive ?? []);
  const inner = declared.length === 0 ? rendered : new Map([...rendered, ...declared]);
  const name = qualified(element);
  parts.push('<', name);
  for (const [prefix, uri] of declared) {
    parts.push(prefix === '' ? ' xmlns="' : ` xmlns:${prefix}="`, escapeAttribute(uri), '"');
  }
  for (const attribute of element.attributes.toSorted(byName)) {
    parts.push(' ', qualified(attribute), '="', escapeAttribute(attribute.value), '"');
  }
  parts.push('>');
  for (const child of element.children) {
    if (typeof child === 'string') parts.push(escapeText(child));
    else if (child !== options.without) write(child, inner, options, parts);
  }
  parts.push('</', name, '>');
}

/** Section 3: the prefixes that the element and its attributes use, and the inclusive ones in scope, unless they are the same outside. */
function declarationsOf({ prefix, attributes, scope }: XmlElement, rendered: Scope, inclusive: readonly string[]) {
  const used = new Set([prefix, ...attributes.flatMap(each => (each.prefix === '' ? [] : [each.prefix]))]);
  for (const each of inclusive) if (scope.has(each)) used.add(each);
  used.delete('xml');
  const declared = [...used].flatMap(each => {
    const uri = scope.get(each) ?? '';
    return rendered.get(each) === uri ? [] : [[each, uri] as const];
  });
  return declared.sort(([one], [other]) => compare(one, other));
}

/** Section 2.2 of Canonical XML: by namespace, then by name; what has no namespace comes first. All of them are ASCII. */
function byName(one: XmlAttribute, other: XmlAttribute): number {
  return compare(one.namespace, other.namespace) || compare(one.name, other.name);
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function qualified({ prefix, name }: Pick<XmlElement, 'prefix' | 'name'>): string {
  return prefix === '' ? name : `${prefix}:${name}`;
}

const TEXT: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#xD;' };
const VALUE: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '"': '&quot;',
  '\t': '&#x9;',
  '\n': '&#xA;',
  '\r': '&#xD;',
};

function escapeText(text: string): string {
  return text.replace(/[&<>\r]/g, character => TEXT[character] ?? character);
}

function escapeAttribute(value: string): string {
  return value.replace(/[&<"\t\n\r]/g, character => VALUE[character] ?? character);
}

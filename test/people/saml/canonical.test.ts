import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ExclusiveCanonicalization } from 'xml-crypto';
import { canonicalForm } from '../../../src/people/saml/canonical.rules.ts';
import { escapeXml, readXml } from '../../../src/people/saml/xml.rules.ts';
import { fc } from '../../build/random.ts';
import { parse } from './dom.ts';

const PREFIXES = ['', 'a', 'b'] as const;
const URIS = ['urn:example:one', 'urn:example:two', 'http://example.com/three'] as const;

const text = fc.string({
  unit: fc.constantFrom('x', ' ', '&', '<', '>', '"', "'", '\t', '\n', 'é', '𝄞', ']'),
  maxLength: 8,
});
const declarations = fc.uniqueArray(fc.tuple(fc.constantFrom(...PREFIXES), fc.constantFrom(...URIS)), {
  selector: ([prefix]) => prefix,
});
const attributes = fc.uniqueArray(fc.tuple(fc.constantFrom('', 'b:'), fc.constantFrom('x', 'y', 'Z'), text), {
  selector: ([, name]) => name,
});

interface Node {
  readonly element: string;
}

/** Elements in each other, whose prefixes `a` and `b` mean something else in each place. */
const { element: document } = fc.letrec<Node>(tie => ({
  element: fc
    .tuple(
      fc.constantFrom('e', 'a:e', 'b:f'),
      declarations,
      attributes,
      fc.array(fc.oneof({ maxDepth: 4 }, text.map(escapeXml), tie('element') as fc.Arbitrary<string>), {
        maxLength: 3,
      }),
    )
    .map(([name, declared, attributed, children]) => {
      const namespaces = declared.map(([prefix, uri]) => ` xmlns${prefix && ':'}${prefix}="${uri}"`).join('');
      const others = attributed.map(([prefix, each, value]) => ` ${prefix}${each}="${escapeXml(value)}"`).join('');
      return `<${name}${namespaces}${others}>${children.join('')}</${name}>`;
    }),
})) as unknown as { element: fc.Arbitrary<string> };

describe('exclusive canonicalisation', () => {
  it('is what xml-crypto makes of the same document', () => {
    fc.assert(
      fc.property(document, fc.subarray(['a', 'b']), (inner, inclusive) => {
        const xml = `<root xmlns:a="urn:example:one" xmlns:b="urn:example:two">${inner}</root>`;
        const read = readXml(xml, { maxLength: 1_000_000 });
        assert(read.kind === 'read', `${JSON.stringify(read)} ${xml}`);
        const theirs = new ExclusiveCanonicalization().process(
          parse(xml) as never,
          {
            inclusiveNamespacesPrefixList: inclusive,
          } as never,
        );
        assert.equal(canonicalForm(read.root, { inclusive }), String(theirs));
      }),
    );
  });

  it('is the same of what was canonicalised once', () => {
    fc.assert(
      fc.property(document, inner => {
        const once = canonicalOf(`<root xmlns:a="urn:example:one" xmlns:b="urn:example:two">${inner}</root>`);
        assert.equal(canonicalOf(once), once);
      }),
    );
  });
});

function canonicalOf(xml: string): string {
  const read = readXml(xml, { maxLength: 1_000_000 });
  assert(read.kind === 'read', JSON.stringify(read));
  return canonicalForm(read.root);
}

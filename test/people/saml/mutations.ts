import assert from 'node:assert/strict';
import { judgeResponse } from '../../../src/people/saml/response.rules.ts';
import { fc } from '../../build/random.ts';
import { assertionIn, assertionXml, encrypted, expected, goodResponse, responseXml, signed } from './messages.ts';

/**
 * Responses that were signed, and changed afterwards by somebody who knows SAML: elements copied, moved, wrapped and removed, texts and
 * attributes replaced by those of others. Whatever is accepted has to say what was signed.
 */
export function changedResponses(numRuns: number): void {
  fc.assert(
    fc.property(fc.constantFrom(...BASES), fc.array(change, { minLength: 1, maxLength: 4 }), (base, changes) => {
      const xml = changes.reduce((text, apply) => apply(text), base);
      const verdict = judgeResponse(xml, expected);
      if (verdict.kind === 'accepted') assert.deepEqual(verdict.assertion, assertionOf(base), xml);
    }),
    { numRuns },
  );
}

const good = goodResponse();
const signedParts = signed(responseXml(assertionXml()), '_response-1');
const BASES = [
  good,
  signedParts,
  signed(good, '_response-1'),
  responseXml(encrypted(assertionIn(good))),
  signed(responseXml(encrypted(assertionXml())), '_response-1'),
];

const judged = new Map<string, unknown>();

function assertionOf(base: string): unknown {
  const present = judged.get(base);
  if (present) return present;
  const verdict = judgeResponse(base, expected);
  assert(verdict.kind === 'accepted', JSON.stringify(verdict));
  judged.set(base, verdict.assertion);
  return verdict.assertion;
}

/** Where each element begins and ends. */
function elementsOf(xml: string): readonly (readonly [start: number, end: number])[] {
  const open: number[] = [];
  const found: (readonly [number, number])[] = [];
  for (const { 0: tag, index } of xml.matchAll(/<[^>]*>/g)) {
    if (/^<[?!]/.test(tag)) continue;
    if (tag.startsWith('</')) found.push([open.pop() ?? 0, index + tag.length]);
    else if (tag.endsWith('/>')) found.push([index, index + tag.length]);
    else open.push(index);
  }
  return found;
}

type Change = (xml: string) => string;

const nth = <T>(all: readonly T[], index: number): T | undefined => all[index % Math.max(1, all.length)];

const replaceAt = (xml: string, [start, end]: readonly [number, number], text: string) =>
  xml.slice(0, start) + text + xml.slice(end);

/** Texts that an attacker would like to read out of somebody else's assertion. */
const LIES = [
  'admin@corp.example',
  '_evil',
  '_assertion-1',
  '_response-1',
  '#_evil',
  'urn:oasis:names:tc:SAML:2.0:status:Success',
  '2099-01-01T00:00:00Z',
  '',
  '<!-- -->',
  '<![CDATA[admin]]>',
  '<?x y?>',
  '&#0;',
  '&x;',
  '&#x20;',
  '\u2028',
];

const place = fc.nat(10_000);

const change: fc.Arbitrary<Change> = fc.oneof(
  // An element, copied or moved to the beginning, the end or the inside of another one.
  fc.tuple(place, place, fc.constantFrom('before', 'after', 'first', 'last', 'instead'), fc.boolean()).map(
    ([what, where, side, isMoved]): Change =>
      xml => {
        const all = elementsOf(xml);
        const [from, to] = [nth(all, what), nth(all, where)];
        if (!from || !to) return xml;
        const copy = xml.slice(...from);
        const target = xml.slice(...to);
        const inside = target.indexOf('>') + 1;
        const outcome = {
          before: copy + target,
          after: target + copy,
          first: target.slice(0, inside) + copy + target.slice(inside),
          last: target.replace(/(<\/[^>]*>)$/, end => copy + end),
          instead: copy,
        }[side];
        const put = replaceAt(xml, to, outcome);
        return isMoved ? put.replace(copy, '') : put;
      },
  ),
  fc.tuple(place, fc.constantFrom('ds:Object', 'samlp:Extensions', 'saml:Assertion', 'saml:Advice', 'x')).map(
    ([what, name]): Change =>
      xml => {
        const found = nth(elementsOf(xml), what);
        return found ? replaceAt(xml, found, `<${name}>${xml.slice(...found)}</${name}>`) : xml;
      },
  ),
  place.map(
    (what): Change =>
      xml => {
        const found = nth(elementsOf(xml), what);
        return found ? replaceAt(xml, found, '') : xml;
      },
  ),
  // A text, or the value of an attribute.
  fc.tuple(place, fc.constantFrom(...LIES), fc.boolean()).map(
    ([what, lie, isAdded]): Change =>
      xml => {
        const texts = [...xml.matchAll(/(?<=>)[^<]+(?=<)|(?<==")[^"]*(?=")/g)];
        const found = nth(texts, what);
        if (!found) return xml;
        return replaceAt(xml, [found.index, found.index + found[0].length], isAdded ? found[0] + lie : lie);
      },
  ),
  // A namespace, a prefix, or an id more.
  fc
    .tuple(
      place,
      fc.constantFrom(
        'xmlns:saml="urn:example:other"',
        'xmlns="urn:oasis:names:tc:SAML:2.0:assertion"',
        'xmlns:ds="urn:example:other"',
        'ID="_evil"',
        'Id="_assertion-1"',
        'xml:id="_assertion-1"',
        'InResponseTo="_request-1"',
      ),
    )
    .map(
      ([what, text]): Change =>
        xml => {
          const found = nth([...xml.matchAll(/<[A-Za-z:]+/g)], what);
          return found ? replaceAt(xml, [found.index, found.index + found[0].length], `${found[0]} ${text}`) : xml;
        },
    ),
  fc.tuple(place, fc.nat(255)).map(
    ([at, code]): Change =>
      xml => {
        const index = at % xml.length;
        return replaceAt(xml, [index, index + 1], String.fromCharCode(code));
      },
  ),
);

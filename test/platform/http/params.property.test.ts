import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  encodeForUrl,
  encodeParams,
  hasTooManyParams,
  MAX_PARAMS,
  type Params,
  paramsOf,
  parseParams,
} from '../../../src/platform/http/params.rules.ts';
import { anyCharacter, fc } from '../../build/random.ts';

/** Text without NUL, which no parameter may hold, and without halves of characters, which cannot be encoded. */
const text = fc
  .string({
    unit: fc.oneof(fc.constantFrom(...'&=+%# ?;/"<\\'), fc.string({ unit: anyCharacter, minLength: 1, maxLength: 1 })),
  })
  .filter(each => !each.includes('\0'));
const name = fc.oneof(text, fc.constantFrom('state', '__proto__', 'constructor'));

describe('parameters, for all inputs', () => {
  it('are the same whether they were in a form or never were, repeated ones and those with NUL too', () => {
    const few = fc.constantFrom('state', 'resource', '', '__proto__');
    const value = fc.oneof(text, fc.constantFrom('', 'x\0y'));
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.oneof(few, name), value), { maxLength: 12 }), entries => {
        const [sent, given] = [parseParams(encodeParams(entries)), paramsOf(entries)];
        const seen = (params: Params) =>
          entries.map(([key]) => [params.get(key), params.isEmpty(key), params.all(key), params.fault([key])]);
        assert.deepEqual(seen(given), seen(sent));
      }),
    );
  });

  it('what is written is read again, and an empty value counts as omitted', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(name, text), { selector: ([key]) => key }), entries => {
        const params = parseParams(encodeParams(entries));
        for (const [key, value] of entries) assert.equal(params.get(key), value === '' ? undefined : value);
        assert.equal(params.fault(entries.map(([key]) => key)), undefined);
      }),
    );
  });

  it('a plus sign and %20 both mean a space, and URLSearchParams agrees', () => {
    fc.assert(
      fc.property(text, value => {
        const form = new URLSearchParams({ v: value }).toString();
        assert.equal(parseParams(form).get('v') ?? '', value);
        assert.equal(new URLSearchParams(encodeParams([['v', value]])).get('v'), value);
      }),
    );
  });

  it('a name that comes twice has no value and a fault, wherever the copies stand', () => {
    const pairs = fc.array(fc.tuple(name, text));
    fc.assert(
      fc.property(name, text, text, pairs, pairs, (key, one, two, between, after) => {
        const entries = [[key, one], ...between, [key, two], ...after] as [string, string][];
        const params = parseParams(encodeParams(entries));
        assert.equal(params.get(key), undefined);
        assert.deepEqual(params.fault([key]), { name: key, kind: 'duplicated' });
      }),
    );
  });

  it('a broken copy beside a good one has no value either', () => {
    const broken = fc.constantFrom('%', '%f', '%zz', '%ff', '%00', '%c3%28', '%ed%a0%80');
    fc.assert(
      fc.property(broken, text, fc.boolean(), (bad, good, first) => {
        const copies = [`k=${bad}`, encodeParams([['k', good]])];
        const params = parseParams((first ? copies : copies.reverse()).join('&'));
        assert.equal(params.get('k'), undefined);
        assert(params.fault(['k']));
      }),
    );
  });

  it('no text makes it throw', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), raw => {
        const params = parseParams(raw);
        assert.equal(params.get('no such name'), undefined);
      }),
    );
  });

  /** Pieces of a form as a caller may send it, well-formed or not, but without halves of characters. */
  const form = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          'a',
          'b',
          '=',
          '&',
          '+',
          '%',
          '%41',
          '%e4',
          '%E4%BD%A0',
          '%00',
          '%23',
          ' ',
          '#',
          '\0',
          '\n',
          '你',
          '😀',
        ),
        fc.string({ unit: anyCharacter, maxLength: 3 }),
      ),
    )
    .map(parts => parts.join(''));

  it('a form put into an address says what it said before, faults and all', () => {
    fc.assert(
      fc.property(form, raw => {
        const [before, after] = [parseParams(raw), parseParams(encodeForUrl(raw))];
        for (const key of ['a', 'b', 'ab', 'aa', '你', ' ', '#']) {
          assert.equal(after.get(key), before.get(key));
          assert.deepEqual(after.fault([key]), before.fault([key]));
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('a form put into an address fits into a header, ends at no fragment, and stays as it is the second time', () => {
    fc.assert(
      fc.property(fc.oneof(form, fc.string({ unit: anyCharacter })), raw => {
        const address = encodeForUrl(raw);
        assert.match(address, /^[\x21\x22\x24-\x7e]*$/);
        assert.equal(encodeForUrl(address), address);
      }),
    );
  });

  it('writes no plus sign, no space and nothing beyond ASCII', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(name, fc.string({ unit: anyCharacter }))), entries => {
        assert.match(encodeParams(entries), /^[A-Za-z0-9\-_.!~*'()%&=]*$/);
      }),
    );
  });

  /** Bytes that begin, continue or break a character of UTF-8, in hexadecimal digits and what are none. */
  const encoded = fc
    .array(
      fc.oneof(
        fc.nat(255).map(byte => `%${byte.toString(16).padStart(2, '0')}`),
        fc.constantFrom(
          '%c3',
          '%A9',
          '%e0',
          '%ED',
          '%a0',
          '%9f',
          '%F0',
          '%f4',
          '%90',
          '%8F',
          '%80',
          '%bf',
          '%zz',
          '%',
          '+',
        ),
        fc.constantFrom('%F0%9F%98%80', '%f4%8f%bf%bf', '%ed%9f%bf', '%00', 'a', '你'),
      ),
      { maxLength: 6 },
    )
    .map(parts => parts.join(''));

  it('reads what decodeURIComponent reads, though nothing is thrown and caught (%zz& of 64 KiB)', () => {
    fc.assert(
      fc.property(encoded, raw => {
        const [value, expected] = [parseParams(`v=${raw}`), decodedByThrowing(raw)];
        assert.equal(value.get('v') ?? '', expected ?? '');
        assert.equal(value.fault(['v'])?.kind, expected === undefined ? 'malformed' : undefined);
        const name = parseParams(`${raw}=1`);
        if (expected !== undefined && expected !== '') assert.equal(name.get(expected), '1');
      }),
      { numRuns: 5000 },
    );
  });

  it('200 parameters are not too many, 201 are', () => {
    fc.assert(
      fc.property(fc.array(encoded, { maxLength: 250 }), pairs => {
        assert.equal(hasTooManyParams(pairs.join('&')), pairs.length > MAX_PARAMS);
      }),
      { examples: [[Array(200).fill('a=1')], [Array(201).fill('%zz')]] },
    );
  });
});

/** As parameters were decoded before, at the cost of an exception for each. */
function decodedByThrowing(text: string): string | undefined {
  try {
    const decoded = decodeURIComponent(text.replaceAll('+', ' '));
    return decoded.includes('\0') ? undefined : decoded;
  } catch {
    return undefined;
  }
}

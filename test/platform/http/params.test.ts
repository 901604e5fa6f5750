import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeForUrl, encodeParams, parseParams } from '../../../src/platform/http/params.rules.ts';

describe('parameters (RFC 6749 section 3.1 and appendix B)', () => {
  for (const [raw, value] of [
    ['a=1', '1'],
    ['a=1&b=2', '1'],
    ['&&a=1&', '1'],
    ['a=x+y', 'x y'],
    ['a=x%20y', 'x y'],
    ['a=x%2By', 'x+y'],
    ['a=1=2', '1=2'],
    ['a=%E4%BD%A0', '你'],
    ['a=你', '你'],
    ['%61=1', '1'],
    ['a=%26%3D', '&='],
    ['a=1;b=2', '1;b=2'],
    ['a=', undefined],
    ['a', undefined],
    ['', undefined],
    ['A=1', undefined],
    ['a[]=1', undefined],
    ['a=%', undefined],
    ['a=%zz', undefined],
    ['a=%ff', undefined],
    ['a=%ed%a0%80', undefined],
    ['a=x%00y', undefined],
    ['a=1&a=2', undefined],
    ['a=1&a=1', undefined],
    ['a=&a=1', undefined],
    ['a=1&a=', undefined],
    ['a=1&a', undefined],
    ['a=1&%61=1', undefined],
    ['a=1&a=%ff', undefined],
    ['a=%ff&a=1', undefined],
    ['a=1&a=2&a=3', undefined],
  ] as const) {
    it(`${JSON.stringify(raw)} gives ${JSON.stringify(value)}`, () => {
      assert.equal(parseParams(raw).get('a'), value);
    });
  }

  for (const [raw, names, fault] of [
    ['a=1&b=2', ['a', 'b'], undefined],
    ['a=&b', ['a', 'b'], undefined],
    ['a=1&a=2', ['a'], { name: 'a', kind: 'duplicated' }],
    ['a=&a=', ['a'], { name: 'a', kind: 'duplicated' }],
    ['a=%ff&a=1', ['a'], { name: 'a', kind: 'malformed' }],
    ['a=1&a=%ff', ['a'], { name: 'a', kind: 'malformed' }],
    ['a=1&a=%ff&a=2', ['a'], { name: 'a', kind: 'malformed' }],
    ['a=%zz', ['a'], { name: 'a', kind: 'malformed' }],
    ['a=%00', ['a'], { name: 'a', kind: 'malformed' }],
    ['x=1&x=2', ['a'], undefined],
    ['b=1&b=2&a=1&a=2', ['a', 'b'], { name: 'a', kind: 'duplicated' }],
    ['%ff=1', ['a'], undefined],
  ] as const) {
    it(`the fault of ${JSON.stringify(raw)} among ${names} is ${JSON.stringify(fault)} (row 17)`, () => {
      assert.deepEqual(parseParams(raw).fault(names), fault);
    });
  }

  for (const [raw, values] of [
    ['', []],
    ['b=1', []],
    ['a=', []],
    ['a=1', ['1']],
    ['a=1&b=x&a=2&a=1', ['1', '2', '1']],
    ['a=&a=1&a=', ['1']],
    ['a=%ff&a=1', ['1']],
  ] as const) {
    it(`all values of a in ${JSON.stringify(raw)} are ${JSON.stringify(values)} (RFC 8707 section 2)`, () => {
      assert.deepEqual(parseParams(raw).all('a'), values);
    });
  }

  for (const [raw, isEmpty] of [
    ['a=', true],
    ['a', true],
    ['b=1&%61=&c=2', true],
    ['', false],
    ['a=1', false],
    ['a=&a=', false],
    ['a=%zz', false],
    ['ba=', false],
  ] as const) {
    it(`a is ${isEmpty ? '' : 'not '}sent without a value in ${JSON.stringify(raw)}`, () => {
      assert.equal(parseParams(raw).isEmpty('a'), isEmpty);
    });
  }

  it('no broken encoding is thrown and caught: 64 KiB of %zz& cost 100 ms of processor time that way', context => {
    const decoding = context.mock.method(globalThis, 'decodeURIComponent');
    const params = parseParams(`${'%zz&'.repeat(16_000)}a=%41&b=%ff&%c3=1`);
    assert.equal(params.get('a'), 'A');
    assert.deepEqual(params.fault(['a', 'b']), { name: 'b', kind: 'malformed' });
    assert.equal(decoding.mock.calls.filter(({ error }) => error !== undefined).length, 0);
  });

  it('does not take names of Object for parameters', () => {
    const params = parseParams('a=1');
    for (const name of ['__proto__', 'constructor', 'toString']) assert.equal(params.get(name), undefined);
    assert.equal(parseParams('__proto__=x').get('__proto__'), 'x');
  });

  for (const [entries, text] of [
    [[['a', 'x y']], 'a=x%20y'],
    [[['a', '+']], 'a=%2B'],
    [
      [
        ['a', '1'],
        ['b', undefined],
        ['c', ''],
      ],
      'a=1&c=',
    ],
    [[['a', '&=#?/你']], 'a=%26%3D%23%3F%2F%E4%BD%A0'],
    [[['a', '\ud800']], 'a=%EF%BF%BD'],
    [[], ''],
  ] as const) {
    it(`${JSON.stringify(entries)} is written ${text} (row 13)`, () => {
      assert.equal(encodeParams(entries), text);
    });
  }

  for (const [raw, address] of [
    ['', ''],
    ['a=1&b=2', 'a=1&b=2'],
    ['a=x+y', 'a=x+y'],
    ['a=x y', 'a=x%20y'],
    ['a=%20%2B%zz', 'a=%20%2B%zz'],
    ['a=1#b', 'a=1%23b'],
    ['a=你', 'a=%E4%BD%A0'],
    ['a=é😀', 'a=%C3%A9%F0%9F%98%80'],
    ['a=1\r\nLocation: x', 'a=1%0D%0ALocation:%20x'],
    ['a=\0\t\x7f', 'a=%00%09%7F'],
    ['a=\u0085\u2028', 'a=%C2%85%E2%80%A8'],
    ['a=\ud800', 'a=%EF%BF%BD'],
    ['a=\udc00\ud800', 'a=%EF%BF%BD%EF%BF%BD'],
    ['a="<>{}|^`\\', 'a="<>{}|^`\\'],
    ["a=/?:@!$'()*,;~", "a=/?:@!$'()*,;~"],
  ] as const) {
    it(`${JSON.stringify(raw)} in an address is ${JSON.stringify(address)}`, () => {
      assert.equal(encodeForUrl(raw), address);
    });
  }
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { byPreference } from '../../../src/platform/http/preference.rules.ts';
import { anyCharacter, fc } from '../../build/random.ts';

describe('what a header prefers (RFC 9110 section 12.4.2)', () => {
  for (const [header, names] of [
    ['en', ['en']],
    ['en, zh', ['en', 'zh']],
    ['en;q=0.5, zh', ['zh', 'en']],
    ['en;q=0.5, zh;q=0.9, de;q=0.7', ['zh', 'de', 'en']],
    ['zh-CN,zh;q=0.9,en;q=0.8', ['zh-cn', 'zh', 'en']],
    ['EN ; Q=0.1 , zh ; q=0.2', ['zh', 'en']],
    ['en;q=0.001, zh;q=0.002', ['zh', 'en']],
    ['en;q=0, zh', ['zh']],
    ['en;q=0.000, zh', ['zh']],
    ['en;q=0', []],
    ['*;q=0.1, zh;q=0.1', ['*', 'zh']],
    ['text/html, application/json', ['text/html', 'application/json']],
    ['text/html;q=0.8, application/json', ['application/json', 'text/html']],
    ['text/html;level=1;q=0.4, application/json;q=0.5', ['application/json', 'text/html']],
    ['application/json;charset=utf-8, text/html;q=0.9', ['application/json', 'text/html']],
    [
      'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
      ['text/html', 'application/xhtml+xml', 'application/xml', '*/*'],
    ],
    ['en;quality=0, zh;q=0.5', ['en', 'zh']],
    ['en;q=1.0, zh;q=1', ['en', 'zh']],
    ['en;q=., zh', ['zh']],
    ['en;q=1.2.3, zh', ['zh']],
    ['en;q=NaN, zh;q=0.5', ['en', 'zh']],
    ['en;q=-1, zh;q=0.5', ['en', 'zh']],
  ] as const) {
    it(`${JSON.stringify(header)} is ${names.join(', ') || 'nothing'}`, () => {
      assert.deepEqual(byPreference(header), names);
    });
  }

  for (const [header, names] of [
    ['', []],
    [' ', []],
    [',', []],
    ['en,,zh', ['en', 'zh']],
    [', en ,', ['en']],
  ] as const) {
    it(`${JSON.stringify(header)} is ${names.join(', ') || 'nothing'}: empty elements do not count (section 5.6.1.2)`, () => {
      assert.deepEqual(byPreference(header), names);
    });
  }

  it('leaves equals in the order in which they came', () => {
    const names = Array.from({ length: 40 }, (_, index) => `x-${index}`);
    assert.deepEqual(byPreference(names.join(',')), names);
    assert.deepEqual(byPreference(names.map(name => `${name};q=0.5`).join(',')), names);
  });

  it('looks at the beginning of an endless header only', () => {
    const endless = `zh, ${'en;q=0.5, '.repeat(100_000)}de`;
    const names = byPreference(endless);
    assert.equal(names[0], 'zh');
    assert(names.length < 200);
    assert.equal(names.includes('de'), false);
  });

  it('orders any weights from the greatest to the least, and leaves out those of 0', () => {
    const weights = fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(weights, given => {
        const header = given.map((weight, index) => `n${index};q=${(weight / 1000).toFixed(3)}`).join(', ');
        const found = byPreference(header).map(name => given[Number(name.slice(1))] ?? 0);
        assert.deepEqual(
          found,
          given.filter(weight => weight > 0).sort((one, other) => other - one),
        );
      }),
    );
  });

  it('no text makes it throw', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), header => {
        for (const name of byPreference(header)) assert.equal(name, name.trim().toLowerCase());
      }),
    );
  });
});

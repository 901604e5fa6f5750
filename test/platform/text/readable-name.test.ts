import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nameFault, usernameFault, withoutHidden } from '../../../src/platform/text/readable-name.rules.ts';
import { anyCharacter, fc } from '../../build/random.ts';

describe('names that another person reads', () => {
  for (const name of [
    'Alice',
    "Zoë O'Brien-Šmíd",
    '李雷',
    '葛\u{E0100}城',
    'می\u200Cخواهم',
    'ශ්\u200Dරී',
    'محمد',
    'שרה',
    '👩\u200D🔧 Tools',
    '❤\uFE0F Shop',
    '👩🏽\u200D🚀',
    'a\u00A0b',
  ]) {
    it(`takes ${name}`, () => assert.equal(nameFault(name), undefined));
  }

  for (const [what, name] of [
    ['NUL', 'a\0'],
    ['a line break', 'a\nb'],
    ['a line separator', 'a\u2028b'],
    ['a paragraph separator', 'a\u2029b'],
    ['a zero-width space', 'Goo\u200Bgle'],
    ['a word joiner', 'a\u2060b'],
    ['a soft hyphen', 'a\u00ADb'],
    ['a byte order mark', '\uFEFFa'],
    ['a right-to-left override', 'a\u202Egpj.exe'],
    ['an isolate', '\u2066a\u2069'],
    ['a mark of direction', 'a\u200Fb'],
    ['tag characters', `Shop\u{E0041}\u{E0042}`],
    ['half a surrogate pair', 'a\ud800'],
    ['a Hangul filler', '\u3164'],
    ['a joiner between Latin letters', 'ad\u200Dmin'],
    ['a non-joiner at the end', 'می\u200C'],
    ['a joiner after a picture alone', '😀\u200D'],
    ['a variation selector after a Latin letter', 'a\uFE0Fb'],
  ] as const) {
    it(`refuses ${what}`, () => {
      assert.match(nameFault(name) ?? '', /control/);
      assert.match(usernameFault(name) ?? '', /control/);
      assert.equal(nameFault(withoutHidden(name)), undefined);
    });
  }

  it('user names have no exceptions: two that look alike would be two', () => {
    assert.match(usernameFault('می\u200Cخواهم') ?? '', /invisible/);
    assert.equal(usernameFault('Åsa 李'), undefined);
  });

  it('what is left of any text without hidden characters is a name', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), text => assert.equal(nameFault(withoutHidden(text)), undefined)),
    );
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { face, initialsOf, person } from '../../../src/operators/console-frame/person.ts';

describe('the face of a person in the console', () => {
  const initials: readonly (readonly [name: string, expected: string])[] = [
    ['Maria Dubois', 'MD'],
    ['maria.dubois', 'MD'],
    ['Anna Maria van der Berg', 'AB'],
    ['alice', 'A'],
    ['guest@example.com', 'G'],
    ['李伟', '李'],
    ['山田 太郎', '山'],
    ['Émile Zola', 'ÉZ'],
    ['donau_dampf-schiff', 'DS'],
    ['+8613800000001', '8'],
    ['007', '0'],
    ['!', '?'],
    ['', '?'],
  ];
  for (const [name, expected] of initials) {
    it(`of ${JSON.stringify(name)} is ${expected}`, () => assert.equal(initialsOf(name), expected));
  }

  it('is the same for the same name', () => {
    assert.equal(face('Maria Dubois').text, face('Maria Dubois').text);
  });

  it('attack: a name is text, never markup', () => {
    const shown = person({ username: '<img src=x>', name: '<script>alert(1)</script>' }).text;
    assert.doesNotMatch(shown, /<(?:img|script)/);
  });
});

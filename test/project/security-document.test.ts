import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
const text = readFileSync(join(ROOT, 'docs/security.md'), 'utf8');

/** A file in backticks, and the part of a test's name that may follow it; … stands for what is left out. */
const NAMED = /`((?:test\/|src\/)?[\w./-]+\.ts)`(?:, "([^"]+)")?/g;

/** The requirements of chapters 6 to 10, 13 and 14 whose level is 1 or 2. */
const LEVEL_2: Readonly<Record<string, readonly number[]>> = {
  '6.1': [1, 2, 3],
  '6.2': [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
  '6.3': [1, 2, 3, 4],
  '6.4': [1, 2, 3, 4],
  '6.5': [1, 2, 3, 4, 5],
  '6.6': [1, 2, 3],
  '6.8': [1, 2, 3, 4],
  '7.1': [1, 2, 3],
  '7.2': [1, 2, 3, 4],
  '7.3': [1, 2],
  '7.4': [1, 2, 3, 4, 5],
  '7.5': [1, 2],
  '7.6': [1, 2],
  '8.1': [1, 2],
  '8.2': [1, 2, 3],
  '8.3': [1],
  '8.4': [1],
  '9.1': [1, 2, 3],
  '9.2': [1, 2, 3, 4],
  '10.1': [1, 2],
  '10.2': [1, 2],
  '10.3': [1, 2, 3, 4],
  '10.4': [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
  '10.5': [1, 2, 3, 4, 5],
  '10.6': [1, 2],
  '10.7': [1, 2, 3],
  '13.1': [1],
  '13.2': [1, 2, 3, 4, 5],
  '13.3': [1, 2],
  '13.4': [1, 2, 3, 4, 5],
  '14.1': [1, 2],
  '14.2': [1, 2, 3, 4],
  '14.3': [1, 2, 3],
};

describe('docs/security.md', () => {
  const named = [...text.matchAll(NAMED)].map(([, file = '', name]) => ({ file, name }));
  const pathOf = (file: string) => join(ROOT, /^(test|src)\//.test(file) ? file : join('test', file));

  it('names tests and sources that exist', () => {
    assert(named.length > 100);
    const missing = named.map(({ file }) => file).filter(file => !existsSync(pathOf(file)));
    assert.deepEqual(missing, []);
  });

  it('quotes names of tests that are in the file', () => {
    const quoted = named.filter(({ name }) => name !== undefined);
    assert(quoted.length > 20);
    const lost = quoted.filter(({ file, name = '' }) => {
      const source = readFileSync(pathOf(file), 'utf8');
      return !name.split('…').every(part => source.includes(part.trim()));
    });
    assert.deepEqual(lost, []);
  });

  it('has every requirement of ASVS 5.0, levels 1 and 2, of its chapters once', () => {
    const listed = [...text.matchAll(/^\| (\d+\.\d+\.\d+[^|]*?) \|/gm)].flatMap(([, numbers = '']) => expand(numbers));
    const asked = Object.entries(LEVEL_2).flatMap(([section, numbers]) => numbers.map(each => `${section}.${each}`));
    assert.deepEqual(listed, asked);
  });
});

/** "6.8.1 to 6.8.4", "14.1.1, 14.1.2", or one. */
function expand(numbers: string): string[] {
  const [first = '', last] = numbers.split(' to ');
  if (last === undefined) return numbers.split(', ');
  const section = first.slice(0, first.lastIndexOf('.'));
  const [from, to] = [first, last].map(each => Number(each.split('.').at(-1))) as [number, number];
  return Array.from({ length: to - from + 1 }, (_, at) => `${section}.${from + at}`);
}

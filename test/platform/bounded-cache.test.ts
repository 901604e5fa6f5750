import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BoundedCache } from '../../src/platform/bounded-cache.ts';

const MAX = 160;
const filled = (entries: number) => {
  const cache = new BoundedCache<number, string>(MAX);
  for (let key = 0; key < entries; key++) cache.set(key, `value ${key}`);
  return cache;
};
const keysIn = (cache: BoundedCache<number, string>, entries: number) =>
  Array.from({ length: entries }, (_, key) => key).filter(key => cache.get(key) !== undefined);

describe('a bounded cache', () => {
  it('keeps every entry up to its limit', () => assert.equal(keysIn(filled(MAX), MAX).length, MAX));

  it('evicts the sixteenth that was written first when it is full', () => {
    assert.deepEqual(keysIn(filled(MAX + 1), MAX + 1)[0], MAX / 16);
    assert.equal(keysIn(filled(MAX + 1), MAX + 1).length, MAX + 1 - MAX / 16);
  });

  it('never holds more than its limit, and always the newest entry', () => {
    for (let entries = MAX; entries < 3 * MAX; entries++) {
      const keys = keysIn(filled(entries), entries);
      assert(keys.length <= MAX);
      assert.equal(keys.at(-1), entries - 1);
    }
  });

  it('counts an entry that is written again as new', () => {
    const cache = filled(MAX);
    cache.set(0, 'again');
    cache.set(MAX, 'one more');
    assert.equal(cache.get(0), 'again');
    assert.equal(cache.get(1), undefined);
  });

  it('has room for one entry at least', () => {
    const cache = new BoundedCache<string, number>(1);
    cache.set('a', 1);
    cache.set('b', 2);
    assert.deepEqual([cache.get('a'), cache.get('b')], [undefined, 2]);
  });
});

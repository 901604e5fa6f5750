import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

describe('the Chinese pages', () => {
  it('have one word for an operator (words.md: one name for one thing)', () => {
    const files = globSync('src/**/*.ts');
    assert(files.some(file => readFileSync(file, 'utf8').includes('管理员')));
    assert.deepEqual(
      files.filter(file => /操作员|运维/.test(readFileSync(file, 'utf8'))),
      [],
    );
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseArguments } from '../../../src/operators/cli/arguments.ts';

const options = {
  sid: { type: 'string' },
  json: { type: 'boolean' },
  scope: { type: 'string', multiple: true },
} as const;
const read = (...args: string[]) => parseArguments({ args, options, allowPositionals: true });

describe('arguments of the command line', () => {
  it('an id that begins with a hyphen is a value, or an object that a verb names', () => {
    assert.equal(read('end', '--sid', '-Bp62wzA2i8NOY8e7A4lxng').values.sid, '-Bp62wzA2i8NOY8e7A4lxng');
    assert.equal(read('end', '--sid', '--p62wzA2i8NOY8e7A4lxng').values.sid, '--p62wzA2i8NOY8e7A4lxng');
    const { positionals, values } = read('get', '-Bp62wzA2i8NOY8e7A4lxng', '--json');
    assert.deepEqual([positionals, values.json], [['get', '-Bp62wzA2i8NOY8e7A4lxng'], true]);
  });

  it('such an id keeps its place among the others, wherever the options are', () => {
    const id = '-jdb0ktSqYfW34Pm9IXQzQ';
    const { positionals, values } = read('distrust-browser', '--sid', 's', id, '--json', 'laptop');
    assert.deepEqual([positionals, { ...values }], [['distrust-browser', id, 'laptop'], { sid: 's', json: true }]);
    assert.deepEqual(read('users', '--json', '-').positionals, ['users', '-']);
    assert.deepEqual(read('get', id, '--', '--json', '-x').positionals, ['get', id, '--json', '-x']);
  });

  it('an option is no value, and one that does not exist is a fault', () => {
    assert.throws(() => read('end', '--sid', '--json'), /--sid/);
    assert.throws(() => read('list', '--sidd', 'x'), /--sidd/);
    assert.throws(() => read('list', '-x'), /-x/);
    assert.deepEqual(read('list', '--scope', 'a', '--scope=-b').values.scope, ['a', '-b']);
  });
});

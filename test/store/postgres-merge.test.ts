import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Lock } from '../../src/platform/store/postgres/locks.ts';
import { keyOf, merge, type Write } from '../../src/platform/store/postgres/merge.ts';
import { manyStatement, type Statement, statement, type Value } from '../../src/platform/store/postgres/statement.ts';

const ROTATE = manyStatement('rotate');
const REDEEM = manyStatement('redeem');
const ADD = statement('add');
const key = (letter: string) => Buffer.from(letter);
const write = (statement: Statement, values: readonly Value[], ...shared: Lock[]): Write => ({
  step: [statement, values],
  shared,
  key: keyOf([statement, values]),
});

describe('the operations of one commit', () => {
  it('that are alike become one statement, and each gets its own rows', () => {
    const { steps, distribute } = merge([
      write(ROTATE, ['shop', key('a'), 1]),
      write(REDEEM, ['shop', key('b')]),
      write(ROTATE, ['desk', key('c'), 3]),
    ]);
    assert.deepEqual(steps, [
      [
        ROTATE,
        [
          ['shop', 'desk'],
          [key('a'), key('c')],
          [1, 3],
        ],
      ],
      [REDEEM, [['shop'], [key('b')]]],
    ]);
    const [second, first] = [
      { n: 2, sub: 'bo' },
      { n: 1, sub: 'al' },
    ];
    assert.deepEqual(distribute([[second, first], []]), [[first], [], [second]]);
  });

  it('on the same key follow each other: the second must see what the first did', () => {
    const { steps, distribute } = merge([
      write(ROTATE, ['shop', key('a')]),
      write(ROTATE, ['shop', key('a')]),
      write(ROTATE, ['shop', key('b')]),
    ]);
    assert.deepEqual(steps, [
      [
        ROTATE,
        [
          ['shop', 'shop'],
          [key('a'), key('b')],
        ],
      ],
      [ROTATE, [['shop'], [key('a')]]],
    ]);
    const rows = (...numbers: number[]) => numbers.map(n => ({ n }));
    assert.deepEqual(distribute([rows(1, 2), rows(1)]), [rows(1), rows(1), rows(2)]);
  });

  it('whose statement does one at a time stay as they are', () => {
    const { steps, distribute } = merge([write(ADD, [key('a')]), write(ROTATE, [key('b')]), write(ADD, [key('c')])]);
    assert.deepEqual(steps, [
      [ROTATE, [[key('b')]]],
      [ADD, [key('a')]],
      [ADD, [key('c')]],
    ]);
    const [yes, no] = [{ known: true }, { known: false }];
    assert.deepEqual(distribute([[{ n: 1 }], [yes], [no]]), [[yes], [{ n: 1 }], [no]]);
  });

  it('are each followed at once by the statement that goes with them, whose rows are of no caller', () => {
    const DROP = statement('drop');
    const REVOKE = { ...statement('revoke'), followedBy: { statement: DROP, values: 2 } };
    const { steps, distribute } = merge([write(REVOKE, ['shop', key('a'), 'web']), write(ADD, ['shop', key('b')])]);
    assert.deepEqual(steps, [
      [REVOKE, ['shop', key('a'), 'web']],
      [DROP, ['shop', key('a')]],
      [ADD, ['shop', key('b')]],
    ]);
    assert.deepEqual(distribute([[{ n: 1 }], [{ n: 2 }], [{ n: 3 }]]), [[{ n: 1 }], [{ n: 3 }]]);
  });

  it('share their locks before anything else, each once and in the order of their names', () => {
    const { steps, distribute } = merge([
      write(ADD, [key('a')], 'user b', 'client web'),
      write(ROTATE, [key('b')]),
      write(ADD, [key('c')], 'user a', 'client web'),
    ]);
    const [locks, ...rest] = steps;
    assert.match(locks?.[0].text ?? '', /pg_advisory_xact_lock_shared/);
    assert.deepEqual(locks?.[1], [['client web', 'user a', 'user b']]);
    assert.deepEqual(rest, [
      [ROTATE, [[key('b')]]],
      [ADD, [key('a')]],
      [ADD, [key('c')]],
    ]);
    const [yes, no] = [{ known: true }, { known: false }];
    assert.deepEqual(distribute([[{}, {}, {}], [{ n: 1 }], [yes], [no]]), [[yes], [{ n: 1 }], [no]]);
  });
});

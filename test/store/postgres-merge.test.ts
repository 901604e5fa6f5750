import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { merge } from '../../src/store/postgres/merge.ts';
import { manyStatement, statement } from '../../src/store/postgres/statement.ts';

const ROTATE = manyStatement('rotate');
const REDEEM = manyStatement('redeem');
const LOCK = statement('lock');
const ADD = statement('add');
const key = (letter: string) => Buffer.from(letter);

describe('the operations of one commit', () => {
  it('that are alike become one statement, and each gets its own rows', () => {
    const { steps, deal } = merge([
      [[ROTATE, ['shop', key('a'), 1]]],
      [[REDEEM, ['shop', key('b')]]],
      [[ROTATE, ['desk', key('c'), 3]]],
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
    assert.deepEqual(deal([[second, first], []]), [[[first]], [[]], [[second]]]);
  });

  it('on the same key follow each other: the second must see what the first did', () => {
    const { steps, deal } = merge([
      [[ROTATE, ['shop', key('a')]]],
      [[ROTATE, ['shop', key('a')]]],
      [[ROTATE, ['shop', key('b')]]],
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
    assert.deepEqual(deal([rows(1, 2), rows(1)]), [[[{ n: 1 }]], [[{ n: 1 }]], [[{ n: 2 }]]]);
  });

  it('of several steps, or whose statement does one at a time, stay as they are', () => {
    const locked = [
      [LOCK, ['user']],
      [ADD, [key('a')]],
    ] as const;
    const { steps, deal } = merge([[[ROTATE, [key('b')]]], locked, [[ADD, [key('c')]]]]);
    assert.deepEqual(steps, [[ROTATE, [[key('b')]]], ...locked, [ADD, [key('c')]]]);
    assert.deepEqual(deal([[{ n: 1 }], [], [{ known: true }], [{ known: false }]]), [
      [[{ n: 1 }]],
      [[], [{ known: true }]],
      [[{ known: false }]],
    ]);
  });
});

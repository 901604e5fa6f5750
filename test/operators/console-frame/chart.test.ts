import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { barChart, roundUp } from '../../../src/operators/console-frame/chart.ts';

describe('the axis of a chart', () => {
  for (const [value, top] of [
    [1, 3],
    [3, 3],
    [5, 6],
    [28, 30],
    [84, 90],
    [100, 120],
    [151, 300],
    [1028, 1200],
    [99_999, 120_000],
  ] as const) {
    it(`reaches ${top} for ${value}`, () => assert.equal(roundUp(value), top));
  }

  it('has whole numbers at its lines, and is never below the value', () => {
    for (let value = 1; value < 5000; value++) {
      const top = roundUp(value);
      assert(top >= value && top <= Math.max(3, value * 2) && Number.isInteger(top / 3), `${value}: ${top}`);
    }
  });

  it('is written beside the lines', () => {
    const points = [{ label: '09:00', value: 84 }];
    const { text } = barChart({ title: 'Sign-ins', columns: ['Hour', 'Number'], asTable: 'As a table', points });
    const lines = [...text.matchAll(/<text x="34"[^>]*>([^<]*)</g)].map(([, label]) => label);
    assert.deepEqual(lines, ['0', '30', '60', '90']);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addTallies, bucketOf, LATENCY_BUCKETS, latencyOf, startOf } from '../../../src/audit/statistics/rules.ts';

const histogramOf = (durations: readonly number[]): Record<string, number> => {
  const histogram: Record<string, number> = {};
  for (const duration of durations) histogram[bucketOf(duration)] = (histogram[bucketOf(duration)] ?? 0) + 1;
  return histogram;
};

describe('statistics (admin contract, /statistics)', () => {
  it('percentiles are within 19 % of those of the durations themselves, from 0.2 ms to 100 s', () => {
    for (const scale of [0.2, 1, 7.3, 250, 9000, 50_000]) {
      // Evenly spread over a factor of two, unsorted.
      const durations = Array.from({ length: 1000 }, (_, at) => scale * (1 + ((at * 617) % 1000) / 1000));
      const { count, p50, p95, p99 } = latencyOf(histogramOf(durations));
      const sorted = durations.toSorted((one, other) => one - other);
      assert.equal(count, 1000);
      for (const [share, found] of [
        [500, p50],
        [950, p95],
        [990, p99],
      ] as const) {
        const exact = sorted[share - 1] ?? Number.NaN;
        assert(found !== null && Math.abs(found - exact) <= exact * 0.19 + 0.01, `${scale}: ${found} for ${exact}`);
      }
    }
  });

  it('no duration is without a bucket, and no histogram without durations has a percentile', () => {
    for (const duration of [-1, 0, 1e-9, 0.125, 0.126, 1e9, Number.POSITIVE_INFINITY]) {
      const bucket = bucketOf(duration);
      assert(Number.isInteger(bucket) && bucket >= 0 && bucket < LATENCY_BUCKETS, `${duration}: ${bucket}`);
    }
    assert.deepEqual(latencyOf({}), { count: 0, p50: null, p95: null, p99: null });
    const { p50, p99 } = latencyOf({ 0: 1 });
    assert.deepEqual([p50, p99], [0.13, 0.13]);
  });

  it('tallies are added name by name, and what only one side has stays', () => {
    const one = { logins: { succeeded: 1 }, tokens: { password: 2 } };
    const other = { logins: { succeeded: 3, failed: 1 }, refusals: { codeExpired: 5 } };
    assert.deepEqual(addTallies(one, other), {
      logins: { succeeded: 4, failed: 1 },
      tokens: { password: 2 },
      refusals: { codeExpired: 5 },
    });
    assert.deepEqual(one, { logins: { succeeded: 1 }, tokens: { password: 2 } }, 'nothing that was handed in changes');
  });

  it('hours and days are those of UTC', () => {
    const time = Date.parse('2027-01-15T08:59:59Z') / 1000;
    assert.equal(startOf('hour', time), Date.parse('2027-01-15T08:00:00Z') / 1000);
    assert.equal(startOf('day', time), Date.parse('2027-01-15T00:00:00Z') / 1000);
    assert.equal(startOf('hour', time + 1), time + 1);
  });
});

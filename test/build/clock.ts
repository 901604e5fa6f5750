import type { Clock } from '../../src/platform/deps.ts';

/** A clock that stands still until a test moves it. */
export interface FixedClock extends Clock {
  advance(seconds: number): void;
}

export function fixedClock(start = 1_800_000_000): FixedClock {
  let now = start;
  return {
    now: () => now,
    advance: seconds => {
      now += seconds;
    },
  };
}

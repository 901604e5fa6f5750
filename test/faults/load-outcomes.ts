import assert from 'node:assert/strict';
import { until } from '../build/until.ts';
import type { Load } from './load.ts';

/** Until so many more token sets are acknowledged. */
export async function untilWorked(load: Load, more: number): Promise<void> {
  const enough = load.sets.length + more;
  await until(`${more} more token sets`, () => load.sets.length >= enough);
}

/** Until clients were refused so many times more. */
export async function untilRefused(load: Load, more: number): Promise<void> {
  const enough = refusals(load) + more;
  await until(`${more} more refusals`, () => refusals(load) >= enough);
}

/** Milliseconds from now until a request succeeds: a figure for the report. */
export async function untilServed(load: Load): Promise<number> {
  const began = performance.now();
  await until('a request succeeds', () => load.lastSuccess > began);
  return Math.round(load.lastSuccess - began);
}

export function refusals({ tally }: Load): number {
  return [...tally.outcomes]
    .filter(([outcome]) => outcome.startsWith('503'))
    .reduce((sum, [, times]) => sum + times, 0);
}

/** Every request was answered: with success, or with 503 and Retry-After. Never with 500, never not at all. */
export function assertAnswered({ tally }: Load): void {
  assert.deepEqual(tally.wrong, []);
  const outcomes = [...tally.outcomes.keys()];
  assert.deepEqual(
    outcomes.filter(outcome => /^(5(?!03)|lost|hung)/.test(outcome)),
    [],
  );
  assert.equal(tally.withoutRetryAfter, 0);
}

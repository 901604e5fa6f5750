import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Load } from './load.ts';
import { DATABASE_TIMEOUT_MS } from './nodes.ts';

/** On a machine that is busy with other tests. */
const PASSWORD_CHECK_MS = 2000;
/** The longest time to an answer, whatever the database does. A password grant looks up the account, checks the password, and writes. */
const ANSWERED_MS = DATABASE_TIMEOUT_MS + PASSWORD_CHECK_MS;
const WAIT_TIMEOUT_MS = 20_000;

export async function until(what: string, holds: () => boolean): Promise<void> {
  for (const deadline = performance.now() + WAIT_TIMEOUT_MS; !holds(); await pause(10))
    assert(performance.now() < deadline, `${what} did not happen`);
}

/** Milliseconds from now until a request succeeds. */
export async function untilServed(load: Load): Promise<number> {
  const began = performance.now();
  await until('recovery', () => load.lastSuccess > began);
  return load.lastSuccess - began;
}

export function refusals({ tally }: Load): number {
  return [...tally.outcomes]
    .filter(([outcome]) => outcome.startsWith('503'))
    .reduce((sum, [, times]) => sum + times, 0);
}

/** Every request was answered in time: with success, or with 503 and Retry-After. Never with 500, never not at all. */
export function assertAnswered({ tally }: Load): void {
  assert.deepEqual(tally.wrong, []);
  const outcomes = [...tally.outcomes.keys()];
  assert.deepEqual(
    outcomes.filter(outcome => /^(5(?!03)|lost|hung)/.test(outcome)),
    [],
  );
  assert.equal(tally.withoutRetryAfter, 0);
  // A machine that is busy with something else makes everything late, also what waits for no database.
  const own = tally.slowest503 - tally.lag;
  assert(own < ANSWERED_MS, `the slowest 503 (${tally.slowestName}) took ${Math.round(own)} ms`);
}

import assert from 'node:assert/strict';
import { setImmediate as nextTurn, setTimeout as timer } from 'node:timers/promises';

/** Turns of the event loop, in which an answer travels through sockets and promises of this process. */
const TURNS = 200;

/**
 * The outcome of what a time limit of this process ends, between two timers of this process. Clocks are not compared: what keeps
 * the process from running delays all its timers, and they are served in the order they are due.
 */
export async function endsBetween<T>(from: number, to: number, work: () => Promise<T>): Promise<T> {
  const early = new AbortController();
  const late = new AbortController();
  let isTooEarly = from > 0;
  const begins = timer(from, undefined, { signal: early.signal }).then(
    () => {
      isTooEarly = false;
    },
    () => {},
  );
  const expires = timer(to, undefined, { signal: late.signal })
    .then(async () => {
      for (let turn = 0; turn < TURNS; turn++) await nextTurn();
    })
    .then(
      () => assert.fail(`not done after ${to} ms`),
      () => new Promise<never>(() => {}),
    );
  try {
    const outcome = await Promise.race([work(), expires]);
    // After a pause of the process an interval that was due first may look at the clock, and end the work, before this timer is served.
    if (isTooEarly) await nextTurn();
    assert(!isTooEarly, `done before ${from} ms`);
    return outcome;
  } finally {
    early.abort();
    late.abort();
    await begins;
  }
}

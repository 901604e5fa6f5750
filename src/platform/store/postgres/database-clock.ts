import type { StoreClock } from '../contract.ts';

/**
 * The time of the database: its last answer, plus the time since then by the monotonic clock (performance.now). A node whose own
 * clock is wrong, or is changed while it runs, does not change the lifetime of a token.
 */
export class DatabaseClock implements StoreClock {
  #seconds = Date.now() / 1000;
  #at = performance.now();

  /** The answer left the server some time between the start of the query and its arrival: half way is the best guess. */
  set(seconds: number, startedAt: number): void {
    const now = performance.now();
    this.#seconds = seconds;
    this.#at = (startedAt + now) / 2;
  }

  now(): number {
    return Math.floor(this.#seconds + (performance.now() - this.#at) / 1000);
  }
}

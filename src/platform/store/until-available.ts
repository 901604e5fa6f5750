import { setTimeout as pause } from 'node:timers/promises';
import { OPEN_TIMEOUT_MS, type WaitsFor } from './database-timeouts.ts';
import { StoreUnavailable, StoreUnusable } from './faults.ts';

const SAY_AFTER_MS = 1000;
const RETRY_MS = 250;

/**
 * Tries to open a database until it succeeds or OPEN_TIMEOUT_MS is over. After a second, `onWait` gets a line for each reason to
 * wait.
 */
export async function untilAvailable<T>(
  onWait: ((line: string) => void) | undefined,
  open: (waitsFor: WaitsFor) => Promise<T>,
): Promise<T> {
  const startedAt = performance.now();
  const waiting = new Waiting(onWait);
  try {
    while (true) {
      try {
        return await open(reason => waiting.for(reason));
      } catch (error) {
        const over = performance.now() - startedAt >= OPEN_TIMEOUT_MS;
        if (over || !(error instanceof StoreUnavailable) || error instanceof StoreUnusable) throw error;
        waiting.for(undefined);
        if (performance.now() - startedAt >= SAY_AFTER_MS) waiting.say(error.message);
      }
      await pause(RETRY_MS);
    }
  } finally {
    waiting.for(undefined);
  }
}

/** Reports each reason once, if it lasts for a second. */
class Waiting {
  readonly #onWait: ((line: string) => void) | undefined;
  readonly #said = new Set<string>();
  #reason: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(onWait: ((line: string) => void) | undefined) {
    this.#onWait = onWait;
  }

  for(reason: string | undefined): void {
    if (reason === this.#reason) return;
    this.#reason = reason;
    clearTimeout(this.#timer);
    if (reason !== undefined) this.#timer = setTimeout(() => this.say(reason), SAY_AFTER_MS);
  }

  say(reason: string): void {
    if (this.#said.has(reason)) return;
    this.#said.add(reason);
    this.#onWait?.(`waiting for the database: ${reason.replace(/^cannot reach the database: /, '')}`);
  }
}

import { ConnectionLost, ConnectionSilent, isConflict, isLockTimeout, isWorkerFault } from './faults.ts';
import { isOver } from './timeouts.ts';

const MAX_ATTEMPTS = 3;

export async function againAfter<T>(fault: unknown, retries: Retries, attempt: () => Promise<T>): Promise<T> {
  for (let last = fault; ; ) {
    if (!retries.allowedAfter(last)) throw last;
    try {
      return await attempt();
    } catch (next) {
      last = next;
    }
  }
}

/** Decides after which faults an operation is tried again, while it has time left. */
export class Retries {
  readonly #startedAt: number;
  readonly #timeoutMs: number;
  readonly #conflictsOnly: boolean;
  #connectionFaults = 0;
  /** Since the last fault of a connection. */
  #others = 0;

  constructor(startedAt: number, timeoutMs: number, conflictsOnly?: 'conflicts only') {
    this.#startedAt = startedAt;
    this.#timeoutMs = timeoutMs;
    this.#conflictsOnly = conflictsOnly !== undefined;
  }

  allowedAfter(fault: unknown): boolean {
    const again =
      fault instanceof ConnectionSilent || fault instanceof ConnectionLost
        ? !this.#conflictsOnly && this.#afterConnectionFault(fault)
        : this.#afterConflict(fault);
    return again && !isOver(this.#startedAt, this.#timeoutMs);
  }

  /** The connection may have been the only thing wrong. */
  #afterConnectionFault(fault: unknown): boolean {
    this.#others = 0;
    this.#connectionFaults++;
    return fault instanceof ConnectionSilent || this.#connectionFaults === 1;
  }

  /**
   * After a conflict there are MAX_ATTEMPTS attempts in all; after lock_timeout there are more, while there is time. So too after the
   * fault of a worker: the coordinator notices only by a statement that a connection to it has died, and makes another.
   */
  #afterConflict(fault: unknown): boolean {
    this.#others++;
    return isLockTimeout(fault) || ((isConflict(fault) || isWorkerFault(fault)) && this.#others < MAX_ATTEMPTS);
  }
}

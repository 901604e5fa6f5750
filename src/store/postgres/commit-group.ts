import type { Row } from '../rows.ts';
import { StoreUnavailable } from '../store.ts';
import { ConnectionLost } from './faults.ts';
import type { Lane, Step } from './lane.ts';

/** The steps of one operation, and how its caller is told. */
interface Job {
  readonly steps: readonly Step[];
  readonly resolve: (results: Row[][]) => void;
  readonly reject: (reason: unknown) => void;
}

const MOST_TOGETHER = 64;
const MOST_WAITING = 2000;

/**
 * Group commit: what arrives while a commit is on its way to the disk shares the next one. A write that is alone goes at
 * once and alone; under load the server syncs once for many of them. None is answered before its commit is.
 */
export class CommitGroup {
  readonly lane: Lane;
  #waiting: Job[] = [];
  #sent = 0;

  constructor(lane: Lane) {
    this.lane = lane;
  }

  get size(): number {
    return this.#waiting.length + this.#sent;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  add(steps: readonly Step[]): Promise<Row[][]> {
    if (this.#waiting.length >= MOST_WAITING) {
      return Promise.reject(new StoreUnavailable('too many writes wait for the database'));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ steps, resolve, reject });
      if (this.#sent === 0) void this.#commit();
    });
  }

  async #commit(): Promise<void> {
    while (this.#waiting.length > 0) {
      const jobs = this.#waiting.splice(0, MOST_TOGETHER);
      this.#sent = jobs.length;
      await (jobs.length === 1 ? this.#eachAlone(jobs) : this.#allAtOnce(jobs));
    }
    this.#sent = 0;
  }

  async #allAtOnce(jobs: Job[]): Promise<void> {
    // Rows are locked in the order of their keys by every node, so that two groups cannot wait for each other.
    jobs.sort((one, other) => Buffer.compare(lockedKey(one), lockedKey(other)));
    try {
      const results = await this.lane.together(jobs.flatMap(({ steps }) => steps));
      for (const { steps, resolve } of jobs) resolve(results.splice(0, steps.length));
    } catch (error) {
      if (error instanceof ConnectionLost) for (const { reject } of jobs) reject(error);
      // One fault must not fail its neighbours.
      else await this.#eachAlone(jobs);
    }
  }

  async #eachAlone(jobs: readonly Job[]): Promise<void> {
    await Promise.all(
      jobs.map(async ({ steps, resolve, reject }) => {
        try {
          resolve(await this.lane.together(steps));
        } catch (error) {
          reject(error);
        }
      }),
    );
  }
}

const NO_KEY = Buffer.alloc(0);

function lockedKey({ steps }: Job): Uint8Array {
  for (const [, values] of steps) {
    for (const value of values ?? []) if (value instanceof Uint8Array) return value;
  }
  return NO_KEY;
}

import type { Row } from '../rows.ts';
import { StoreUnavailable } from '../store.ts';
import { wasUndone } from './faults.ts';
import { type Lane, PATIENCE_MS } from './lane.ts';
import { firstKey, merge, type Write } from './merge.ts';

/** A write, and how its caller is told. */
interface Job {
  readonly askedAt: number;
  readonly write: Write;
  readonly resolve: (rows: Row[]) => void;
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
  #committing = false;

  constructor(lane: Lane) {
    this.lane = lane;
  }

  get size(): number {
    return this.#waiting.length + this.#sent;
  }

  get connected(): boolean {
    return this.lane.connected;
  }

  connect(): Promise<void> {
    return this.lane.connect();
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  add(write: Write, askedAt: number): Promise<Row[]> {
    if (this.#waiting.length >= MOST_WAITING) {
      return Promise.reject(new StoreUnavailable('too many writes wait for the database'));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ askedAt, write, resolve, reject });
      if (!this.#committing) void this.#commit();
    });
  }

  async #commit(): Promise<void> {
    this.#committing = true;
    while (this.#waiting.length > 0) {
      const jobs = inTime(this.#waiting.splice(0, MOST_TOGETHER));
      this.#sent = jobs.length;
      if (jobs.length > 1) await this.#allAtOnce(jobs);
      else await this.#eachAlone(jobs);
    }
    this.#sent = 0;
    this.#committing = false;
  }

  async #allAtOnce(jobs: Job[]): Promise<void> {
    // Rows are locked in the order of their keys by every node, so that two groups cannot wait for each other.
    jobs.sort((one, other) => Buffer.compare(lockedKey(one), lockedKey(other)));
    try {
      const askedAt = Math.min(...jobs.map(job => job.askedAt));
      const { steps, distribute } = merge(jobs.map(job => job.write));
      const results = distribute(await this.lane.together(steps, askedAt));
      for (const [index, { resolve }] of jobs.entries()) resolve(results[index] ?? []);
    } catch (error) {
      // The server has undone them all because of one, which must not fail its neighbours.
      if (wasUndone(error)) await this.#eachAlone(jobs);
      else for (const { reject } of jobs) reject(error);
    }
  }

  async #eachAlone(jobs: readonly Job[]): Promise<void> {
    await Promise.all(
      jobs.map(async ({ askedAt, write, resolve, reject }) => {
        try {
          const alone = merge([write]);
          const [rows = []] = alone.distribute(await this.lane.together(alone.steps, askedAt));
          resolve(rows);
        } catch (error) {
          reject(error);
        }
      }),
    );
  }
}

/** Those that waited for too long behind others are told so, and not sent. */
function inTime(jobs: readonly Job[]): Job[] {
  const latest = performance.now() - PATIENCE_MS;
  return jobs.filter(({ askedAt, reject }) => {
    if (askedAt < latest) reject(new StoreUnavailable('the database is too slow'));
    return askedAt >= latest;
  });
}

function lockedKey({ write }: Job): Uint8Array {
  return firstKey(write.step[1]);
}

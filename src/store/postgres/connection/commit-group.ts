import { StoreUnavailable } from '../../faults.ts';
import type { Row } from '../../rows.ts';
import { OperationTimeout } from '../../within-time.ts';
import { wasUndone } from './faults.ts';
import type { Lock } from './locks.ts';
import { keyOf, merge, type Write } from './merge.ts';
import type { PipelinedConnection, Step } from './pipelined-connection.ts';
import { isOver } from './timeouts.ts';

/** A write, and how its caller is told. */
interface Job extends Write {
  readonly startedAt: number;
  readonly resolve: (rows: Row[]) => void;
  readonly reject: (reason: unknown) => void;
}

const MAX_GROUP_SIZE = 64;
const MAX_WAITING = 2000;

/**
 * Group commit: what arrives while a commit is on its way to the disk shares the next one. A write that is alone goes at
 * once and alone; under load the server syncs once for many of them. None is answered before its commit is.
 */
export class CommitGroup {
  readonly connection: PipelinedConnection;
  readonly #timeoutMs: number;
  #waiting: Job[] = [];
  #sent: readonly Job[] = [];
  #committing = false;

  constructor(connection: PipelinedConnection, timeoutMs: number) {
    this.connection = connection;
    this.#timeoutMs = timeoutMs;
  }

  get size(): number {
    return this.#waiting.length + this.#sent.length;
  }

  get connected(): boolean {
    return this.connection.connected;
  }

  connect(): Promise<void> {
    return this.connection.connect();
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  add(step: Step, shared: readonly Lock[], startedAt: number): Promise<Row[]> {
    if (this.#waiting.length >= MAX_WAITING) {
      return Promise.reject(new StoreUnavailable('too many writes wait for the database'));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ startedAt, step, shared, key: keyOf(step), resolve, reject });
      if (!this.#committing) void this.#commit();
    });
  }

  /** Rejects the writes whose time is over, each by its own start; those beside them go on. */
  checkTimeouts(): void {
    this.#waiting = this.#withTimeLeft(this.#waiting);
    this.#withTimeLeft(this.#sent);
  }

  async #commit(): Promise<void> {
    this.#committing = true;
    while (this.#waiting.length > 0) {
      const jobs = this.#withTimeLeft(this.#waiting.splice(0, MAX_GROUP_SIZE));
      this.#sent = jobs;
      if (jobs.length > 1) await this.#commitTogether(jobs);
      else await this.#commitEach(jobs);
    }
    this.#sent = [];
    this.#committing = false;
  }

  async #commitTogether(jobs: Job[]): Promise<void> {
    // Rows are locked in the order of their keys by every node, so that two groups cannot wait for each other.
    jobs.sort(byKey);
    try {
      // As long as the youngest of them has time; the others are told by checkTimeouts.
      const startedAt = Math.max(...jobs.map(job => job.startedAt));
      const { steps, distribute } = merge(jobs);
      const results = distribute(await this.connection.runTogether(steps, startedAt));
      for (const [index, { resolve }] of jobs.entries()) resolve(results[index] ?? []);
    } catch (error) {
      // The server has undone them all because of one, which must not fail its neighbours.
      if (wasUndone(error)) await this.#commitEach(this.#withTimeLeft(jobs));
      else for (const { reject } of jobs) reject(error);
    }
  }

  async #commitEach(jobs: readonly Job[]): Promise<void> {
    await Promise.all(
      jobs.map(async job => {
        try {
          const alone = merge([job]);
          const [rows = []] = alone.distribute(await this.connection.runTogether(alone.steps, job.startedAt));
          job.resolve(rows);
        } catch (error) {
          job.reject(error);
        }
      }),
    );
  }

  #withTimeLeft(jobs: readonly Job[]): Job[] {
    return jobs.filter(({ startedAt, reject }) => {
      if (!isOver(startedAt, this.#timeoutMs)) return true;
      reject(new OperationTimeout('the database did not answer in time'));
      return false;
    });
  }
}

/** Writes with the same key stay in the order in which they came. */
function byKey(one: Job, other: Job): number {
  if (one.key === other.key) return 0;
  return one.key < other.key ? -1 : 1;
}

import { StoreUnavailable } from '../faults.ts';
import type { Row } from '../row.ts';
import { OperationTimeout } from '../within-time.ts';
import { wasUndone } from './faults.ts';
import type { Lock } from './locks.ts';
import { byWorker, keyOf, merge, type Write } from './merge.ts';
import type { PipelinedConnection, PipelinedStatement } from './pipelined-connection.ts';
import { isOver } from './timeouts.ts';

/** A write, and the promise of its caller. */
interface Job extends Write {
  readonly startedAt: number;
  readonly resolve: (rows: Row[]) => void;
  readonly reject: (reason: unknown) => void;
}

const MAX_GROUP_SIZE = 64;
const MAX_WAITING = 2000;

/**
 * Group commit: writes that arrive during a commit share the next one. A single write is sent at once; under load the server
 * syncs its disk once for many writes. Each write is answered after its commit.
 */
export class CommitGroup {
  readonly connection: PipelinedConnection;
  readonly #timeoutMs: number;
  readonly #isCitus: boolean;
  #waiting: Job[] = [];
  #sent: readonly Job[] = [];
  #committing = false;

  constructor(connection: PipelinedConnection, { timeoutMs, isCitus }: { timeoutMs: number; isCitus: boolean }) {
    this.connection = connection;
    this.#timeoutMs = timeoutMs;
    this.#isCitus = isCitus;
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

  add(step: PipelinedStatement, shared: readonly Lock[], startedAt: number): Promise<Row[]> {
    if (this.#waiting.length >= MAX_WAITING) {
      return Promise.reject(new StoreUnavailable('too many writes wait for the database'));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ startedAt, step, shared, key: keyOf(step), resolve, reject });
      if (!this.#committing) void this.#commit();
    });
  }

  /** Rejects each write whose own time is over; the other writes of its group continue. */
  checkTimeouts(): void {
    this.#waiting = this.#withTimeLeft(this.#waiting);
    this.#withTimeLeft(this.#sent);
  }

  async #commit(): Promise<void> {
    this.#committing = true;
    while (this.#waiting.length > 0) {
      const jobs = this.#withTimeLeft(this.#waiting.splice(0, MAX_GROUP_SIZE));
      this.#sent = jobs;
      if (jobs.length > 1) await this.#commitMany(jobs);
      else await this.#commitEach(jobs);
    }
    this.#sent = [];
    this.#committing = false;
  }

  async #commitMany(jobs: Job[]): Promise<void> {
    // Every node locks rows in the order of their keys, so that two groups cannot deadlock.
    jobs.sort(byKey);
    if (this.#isCitus) await Promise.all(byWorker(jobs).map(ofOneWorker => this.#commitTogether(ofOneWorker)));
    else await this.#commitTogether(jobs);
  }

  async #commitTogether(jobs: Job[]): Promise<void> {
    try {
      // The statement has the time of the youngest write; checkTimeouts rejects the older ones.
      const startedAt = Math.max(...jobs.map(job => job.startedAt));
      const { steps, distribute } = merge(jobs);
      const results = distribute(await this.connection.runTogether(steps, startedAt));
      for (const [index, { resolve }] of jobs.entries()) resolve(results[index] ?? []);
    } catch (error) {
      // The server has rolled all of them back because of one, which must not fail the others.
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

/** Writes with the same key stay in the order of their arrival. */
function byKey(one: Job, other: Job): number {
  if (one.key === other.key) return 0;
  return one.key < other.key ? -1 : 1;
}

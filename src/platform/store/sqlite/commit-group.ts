import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { StoreUnavailable } from '../faults.ts';
import { asStoreFault, isBusy } from './faults.ts';

interface Job {
  readonly work: () => unknown;
  readonly resolve: (value: never) => void;
  readonly reject: (reason: unknown) => void;
  readonly deadline: number;
}

const BUSY_RETRY_MS = 10;
const MAX_WAITING = 10_000;
const MAX_TURNS = 4;
const MAX_GATHER_MS = 3;

/**
 * Group commit: writes that start in one turn of the event loop, or in a few successive turns, share one transaction and one sync
 * to the disk. Each is answered after that sync. They run one after the other, so each sees what the earlier ones wrote.
 */
export class CommitGroup {
  readonly #connection: DatabaseSync;
  #waiting: Job[] = [];
  #scheduled = false;

  readonly #timeoutMs: number;
  readonly #beforeWriting: () => void;
  readonly #begin: StatementSync;
  readonly #end: StatementSync;

  constructor(connection: DatabaseSync, timeoutMs: number, beforeWriting: () => void) {
    this.#connection = connection;
    this.#timeoutMs = timeoutMs;
    this.#beforeWriting = beforeWriting;
    this.#begin = connection.prepare('BEGIN IMMEDIATE');
    this.#end = connection.prepare('COMMIT');
  }

  add<T>(work: () => T): Promise<T> {
    if (this.#waiting.length >= MAX_WAITING) return Promise.reject(new StoreUnavailable('too many writes are waiting'));
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, resolve, reject, deadline: performance.now() + this.#timeoutMs });
      this.#schedule();
    });
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  async drained(): Promise<void> {
    while (this.#waiting.length > 0) await new Promise(resolve => setTimeout(resolve, 1));
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#whenNoMoreCome(this.#waiting.length, MAX_TURNS, performance.now() + MAX_GATHER_MS);
  }

  /**
   * A single write is committed at once. While more writes arrive with every turn, the commit waits, for MAX_TURNS and
   * MAX_GATHER_MS at most: under high load turns are long, and one turn gathers enough writes.
   */
  #whenNoMoreCome(before: number, turns: number, latest: number): void {
    setImmediate(() => {
      const now = this.#waiting.length;
      if (now > before && turns > 1 && performance.now() < latest) this.#whenNoMoreCome(now, turns - 1, latest);
      else this.#flush();
    });
  }

  #flush(): void {
    this.#scheduled = false;
    const jobs = this.#waiting;
    this.#waiting = [];
    if (jobs.length === 0) return;
    try {
      this.#commit(jobs);
    } catch (error) {
      if (isBusy(error)) this.#tryLater(jobs);
      else if (jobs.length > 1) this.#oneByOne(jobs);
      else for (const job of jobs) job.reject(asStoreFault(error));
    }
  }

  /** One write that fails must not fail the others: each gets a transaction of its own. */
  #oneByOne(jobs: readonly Job[]): void {
    const busy: Job[] = [];
    for (const job of jobs) {
      try {
        this.#commit([job]);
      } catch (error) {
        if (isBusy(error)) busy.push(job);
        else job.reject(asStoreFault(error));
      }
    }
    if (busy.length > 0) this.#tryLater(busy);
  }

  #commit(jobs: readonly Job[]): void {
    this.#beforeWriting();
    // A disk error may have left a transaction open.
    if (this.#connection.isTransaction) this.#connection.exec('ROLLBACK');
    this.#begin.run();
    let values: unknown[];
    try {
      values = jobs.map(job => job.work());
      this.#end.run();
    } catch (error) {
      // After a full disk or an I/O error SQLite may have rolled back itself.
      if (this.#connection.isTransaction) this.#connection.exec('ROLLBACK');
      throw error;
    }
    jobs.forEach((job, index) => {
      job.resolve(values[index] as never);
    });
  }

  #tryLater(jobs: readonly Job[]): void {
    const now = performance.now();
    for (const job of jobs.filter(job => job.deadline <= now)) {
      job.reject(new StoreUnavailable('the database is locked by another process'));
    }
    this.#waiting.unshift(...jobs.filter(job => job.deadline > now));
    this.#scheduled = true;
    setTimeout(() => this.#flush(), BUSY_RETRY_MS);
  }
}

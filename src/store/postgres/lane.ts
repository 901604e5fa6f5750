import type { Client } from 'pg';
import type { Row } from '../rows.ts';
import { StoreUnavailable } from '../store.ts';
import { asStoreFault, isGoing } from './faults.ts';
import { destroy, end, type Hosts } from './hosts.ts';
import type { Run, Statement, Value } from './statement.ts';

/** Longer than the server lets a statement run. */
export const PATIENCE_MS = 1200;
export const WATCH_MS = 100;
/** What a database that may have stood still with us gets to answer. */
export const EXCUSE_MS = 500;
const MOST_RUNNING = 2000;

export type Step = readonly [statement: Statement, values?: readonly Value[] | undefined];

/** A statement that is under way. */
interface Question {
  /** Before there was a connection, if one had to be made. */
  readonly askedAt: number;
  readonly giveUp: (reason: Error) => void;
}

/** Too late for whoever waits for it. It may be done all the same, as after a lost connection, but nobody can wait to see. */
class Overdue extends StoreUnavailable {}

/** Whoever has waited for an answer already waits for the new connection only as long as they would have for that. */
async function inTime(connected: Promise<Client>, askedAt: number): Promise<Client> {
  const { promise, reject } = Promise.withResolvers<never>();
  const left = askedAt + PATIENCE_MS - performance.now();
  const timer = setTimeout(() => reject(new Overdue('the database cannot be reached in time')), left);
  try {
    return await Promise.race([connected, promise]);
  } finally {
    clearTimeout(timer);
  }
}

const BEGIN: Statement = { name: 'gatehouse-begin', text: 'BEGIN' };
const COMMIT: Statement = { name: 'gatehouse-commit', text: 'COMMIT' };
const ROLLBACK: Statement = { name: 'gatehouse-rollback', text: 'ROLLBACK' };

/**
 * One connection, made when it is needed and again after it was lost. Statements are sent as they come, without waiting for
 * the answers to those before them, and are answered in that order.
 */
export class Lane {
  readonly #hosts: Hosts;
  #client: Client | undefined;
  #connecting: Promise<Client> | undefined;
  #running = 0;
  #heardAt = 0;
  readonly #open = new Set<Question>();
  #watch: NodeJS.Timeout | undefined;
  #watchedAt = 0;
  #excusedUntil = Number.NEGATIVE_INFINITY;
  #closed = false;

  constructor(hosts: Hosts) {
    this.#hosts = hosts;
  }

  /** How much was sent and not yet answered. */
  get size(): number {
    return this.#running;
  }

  get connected(): boolean {
    return this.#client !== undefined;
  }

  /** Begins to, if it is not and does not already. Whoever needs it in vain hears why. */
  async connect(): Promise<void> {
    if (this.#closed || this.#client) return;
    await this.#connected().then(
      () => {},
      () => {},
    );
  }

  /** One statement, a transaction of its own. */
  async run(statement: Statement, values: readonly Value[] | undefined, askedAt: number): Promise<Row[]> {
    if (this.#running >= MOST_RUNNING) throw new StoreUnavailable('too many operations wait for the database');
    const client = this.#client ?? (await inTime(this.#connected(), askedAt));
    return this.#send(client, askedAt, statement, values);
  }

  /** Several, in one transaction and one round trip: all are sent before the first is answered. */
  async together(steps: readonly Step[], askedAt: number): Promise<Row[][]> {
    const [only] = steps;
    if (steps.length === 1 && only) return [await this.run(only[0], only[1], askedAt)];
    if (this.#running >= MOST_RUNNING) throw new StoreUnavailable('too many operations wait for the database');
    const client = this.#client ?? (await inTime(this.#connected(), askedAt));
    const begun = this.#send(client, askedAt, BEGIN);
    const sent = steps.map(([statement, values]) => this.#send(client, askedAt, statement, values));
    const ended = this.#send(client, askedAt, COMMIT);
    // The first fault is the one to tell; those after it say only that there was one.
    const [, ...outcomes] = await Promise.allSettled([begun, ...sent, ended]);
    const fault = outcomes.find(outcome => outcome.status === 'rejected');
    if (fault) throw fault.reason;
    return outcomes.slice(0, -1).map(outcome => (outcome as PromiseFulfilledResult<Row[]>).value);
  }

  /** A transaction that waits for answers in between. Nobody else may use the lane meanwhile. */
  async transaction<T>(work: (run: Run) => Promise<T>): Promise<T> {
    const client = this.#client ?? (await this.#connected());
    const run: Run = (statement, values) => this.#send(client, performance.now(), statement, values);
    let outcome: T;
    try {
      await run(BEGIN);
      outcome = await work(run);
    } catch (error) {
      // Behind something that does not end, the end of the transaction would not come either.
      if (error instanceof Overdue) destroy(client);
      else await run(ROLLBACK).catch(() => destroy(client));
      throw error;
    }
    await run(COMMIT);
    return outcome;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#watch);
    if (this.#client) await end(this.#client);
  }

  #send(client: Client, askedAt: number, statement: Statement, values?: readonly Value[]): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      const question: Question = { askedAt, giveUp: reject };
      const heard = () => {
        this.#running--;
        this.#open.delete(question);
        this.#heardAt = performance.now();
      };
      if (this.#running++ === 0) this.#heardAt = performance.now();
      this.#open.add(question);
      client.query({ ...statement, values: values as unknown[] }).then(
        ({ rows }) => {
          heard();
          resolve(rows);
        },
        error => {
          heard();
          if (isGoing(error)) destroy(client);
          reject(asStoreFault(error));
        },
      );
    });
  }

  #connected(): Promise<Client> {
    if (this.#closed) throw new StoreUnavailable('the store is closed');
    this.#connecting ??= this.#hosts
      .connect()
      .then(client => {
        if (this.#closed) {
          destroy(client);
          throw new StoreUnavailable('the store is closed');
        }
        this.#client = client;
        client.once('end', () => this.#forget(client));
        this.#watchedAt = performance.now();
        this.#watch = setInterval(() => this.#soonLookAfter(client), WATCH_MS).unref();
        return client;
      })
      .finally(() => {
        this.#connecting = undefined;
      });
    return this.#connecting;
  }

  #forget(client: Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    clearInterval(this.#watch);
  }

  /**
   * After what has arrived is read: if it was us who stood still, the answers lie there waiting. Or the whole machine was
   * paused, and the database with it: it is excused for a while, but not again at once. A loop that is always late would
   * never give up.
   */
  #soonLookAfter(client: Client): void {
    const now = performance.now();
    const stoodStill = now - this.#watchedAt > 3 * WATCH_MS;
    this.#watchedAt = now;
    if (stoodStill && now > this.#excusedUntil + PATIENCE_MS) this.#excusedUntil = now + EXCUSE_MS;
    if (this.#running > 0 && now > this.#excusedUntil) setImmediate(() => this.#lookAfter(client));
  }

  /** Who says nothing for so long is frozen or cut off. Who is slow is waited for no longer, but may finish. */
  #lookAfter(client: Client): void {
    const latest = performance.now() - PATIENCE_MS;
    if (this.#running > 0 && this.#heardAt < latest) {
      this.#forget(client);
      // Not as a lost connection, after which it is asked again: nobody would wait for that any more.
      destroy(client, new Overdue('the database does not answer'));
    }
    for (const question of this.#open) {
      if (question.askedAt >= latest) continue;
      this.#open.delete(question);
      question.giveUp(new Overdue('the database is too slow'));
    }
  }
}

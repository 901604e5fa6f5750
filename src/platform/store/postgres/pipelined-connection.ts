import type { Client } from 'pg';
import { StoreUnavailable } from '../faults.ts';
import type { Row } from '../row.ts';
import { OperationTimeout, withinTime } from '../within-time.ts';
import { arrayLiteral } from './array-literal.ts';
import { asStoreFault, ConnectionSilent, isGoing } from './faults.ts';
import { ConnectTimeout, destroy, end, type Hosts } from './hosts.ts';
import type { Run, Single, Statement, Value } from './statement.ts';
import { isOver } from './timeouts.ts';

const MAX_PENDING_QUERIES = 2000;
/** The server cancels a statement at statement_timeout (hosts.ts). Its answer must arrive within this time after it. */
const CANCEL_MS = 500;

export type PipelinedStatement = readonly [statement: Statement, values?: readonly Value[] | undefined];

/** A statement that was sent and not answered yet. */
interface PendingQuery {
  /** Of the operation it belongs to, which may have waited before it was sent. */
  readonly startedAt: number;
  readonly reject: (reason: Error) => void;
}

const BEGIN: Statement = { name: 'gatehouse-begin', text: 'BEGIN' };
const COMMIT: Statement = { name: 'gatehouse-commit', text: 'COMMIT' };
const ROLLBACK: Statement = { name: 'gatehouse-rollback', text: 'ROLLBACK' };

/**
 * One connection, opened when it is first needed and again after it was lost. It sends each statement at once, without waiting for
 * the answers to earlier ones; the server answers in the same order.
 */
export class PipelinedConnection {
  readonly #hosts: Hosts;
  #client: Client | undefined;
  #connecting: Promise<Client> | undefined;
  /** Operations that wait for the connection to be made. */
  #waiting = 0;
  /** Queries that were sent and not answered, including those that were rejected after their timeout. */
  #unanswered = 0;
  #heardAt = 0;
  readonly #pending = new Set<PendingQuery>();
  #closed = false;

  constructor(hosts: Hosts) {
    this.#hosts = hosts;
  }

  /** How much was sent and not yet answered, or waits to be sent. */
  get size(): number {
    return this.#unanswered + this.#waiting;
  }

  get connected(): boolean {
    return this.#client !== undefined;
  }

  /** For how long nothing was answered of what was sent; 0: nothing was. */
  silentMs(): number {
    return this.#unanswered === 0 ? 0 : performance.now() - this.#heardAt;
  }

  /** Opens the connection unless it is open or being opened. A failure is not reported here but by the operations that wait. */
  async connect(): Promise<void> {
    if (this.#closed || this.#client) return;
    await this.#connect().then(
      () => {},
      () => {},
    );
  }

  /** One statement, a transaction of its own. */
  async run(statement: Statement, values: readonly Value[] | undefined, startedAt: number): Promise<Row[]> {
    this.#refuseTooMany();
    const client = this.#client ?? (await this.#connected(startedAt));
    return this.#send(client, startedAt, statement, values);
  }

  /** Several statements in one transaction and one round trip: all are sent before the first is answered. */
  async runTogether(steps: readonly PipelinedStatement[], startedAt: number): Promise<Row[][]> {
    const [only] = steps;
    if (steps.length === 1 && only) return [await this.run(only[0], only[1], startedAt)];
    this.#refuseTooMany();
    const client = this.#client ?? (await this.#connected(startedAt));
    const begun = this.#send(client, startedAt, BEGIN);
    const sent = steps.map(([statement, values]) => this.#send(client, startedAt, statement, values));
    const ended = this.#send(client, startedAt, COMMIT);
    // The first error is the cause; the later ones only say that the transaction is aborted.
    const [, ...outcomes] = await Promise.allSettled([begun, ...sent, ended]);
    const fault = outcomes.find(outcome => outcome.status === 'rejected');
    if (fault) throw fault.reason;
    return outcomes.slice(0, -1).map(outcome => (outcome as PromiseFulfilledResult<Row[]>).value);
  }

  /** A transaction that reads answers between its statements. The caller must have the connection for itself. */
  async transaction<T>(work: (run: Run) => Promise<T>, startedAt: number): Promise<T> {
    const client = this.#client ?? (await this.#connected(startedAt));
    const run: Run = (statement, values) => this.#send(client, startedAt, statement, values);
    let outcome: T;
    try {
      await run(BEGIN);
      outcome = await work(run);
    } catch (error) {
      // A ROLLBACK would wait behind the statement that does not end.
      if (error instanceof OperationTimeout) destroy(client);
      else await run(ROLLBACK).catch(() => destroy(client));
      throw error;
    }
    await run(COMMIT);
    return outcome;
  }

  /** Rejects the queries whose time is over. A connection that has been silent for longer is replaced. */
  checkTimeouts(): void {
    const { timeoutMs } = this.#hosts;
    const now = performance.now();
    for (const query of this.#pending) {
      if (now - query.startedAt < timeoutMs) continue;
      this.#pending.delete(query);
      query.reject(new OperationTimeout('the database did not answer in time'));
    }
    const client = this.#client;
    if (!client || this.#unanswered === 0 || now - this.#heardAt < timeoutMs + CANCEL_MS) return;
    this.#forget(client);
    // Queries that started later still have time: they can be tried again on another connection.
    destroy(client, new ConnectionSilent('the database does not answer'));
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#client) await end(this.#client);
  }

  #send(client: Client, startedAt: number, statement: Statement, values?: readonly Value[]): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      const query: PendingQuery = { startedAt, reject };
      const answered = () => {
        this.#unanswered--;
        this.#pending.delete(query);
        this.#heardAt = performance.now();
      };
      if (this.#unanswered++ === 0) this.#heardAt = performance.now();
      this.#pending.add(query);
      client.query({ ...statement, values: sent(values) }).then(
        ({ rows }) => {
          answered();
          resolve(rows);
        },
        error => {
          answered();
          if (isGoing(error)) destroy(client);
          reject(asStoreFault(error));
        },
      );
    });
  }

  #refuseTooMany(): void {
    if (this.size >= MAX_PENDING_QUERIES) throw new StoreUnavailable('too many operations wait for the database');
  }

  async #connected(startedAt: number): Promise<Client> {
    const { timeoutMs } = this.#hosts;
    this.#waiting++;
    try {
      while (true) {
        try {
          return await withinTime(this.#connect(), startedAt, timeoutMs);
        } catch (error) {
          // The attempt may have begun long before this operation.
          if (!(error instanceof ConnectTimeout) || isOver(startedAt, timeoutMs)) throw error;
        }
      }
    } finally {
      this.#waiting--;
    }
  }

  #connect(): Promise<Client> {
    if (this.#closed) return Promise.reject(new StoreUnavailable('the store is closed'));
    this.#connecting ??= this.#hosts
      .connect()
      .then(client => {
        if (this.#closed) {
          destroy(client);
          throw new StoreUnavailable('the store is closed');
        }
        this.#client = client;
        client.once('end', () => this.#forget(client));
        return client;
      })
      .finally(() => {
        this.#connecting = undefined;
      });
    return this.#connecting;
  }

  #forget(client: Client): void {
    if (this.#client === client) this.#client = undefined;
  }
}

/** The values as the driver expects them; arrays as text. */
function sent(values: readonly Value[] = []): unknown[] {
  return values.map(value => (isArray(value) ? arrayLiteral(value) : value));
}

function isArray(value: Value): value is readonly Single[] {
  return Array.isArray(value);
}

import { StoreUnavailable } from '../faults.ts';
import { OperationTimeout } from '../within-time.ts';
import type { PipelinedConnection } from './pipelined-connection.ts';

const MAX_WAITING = 1000;

/** Connections that one operation at a time uses exclusively. Waiting operations get them in the order of their arrival. */
export class ConnectionQueue {
  readonly connections: readonly PipelinedConnection[];
  readonly #timeoutMs: number;
  readonly #free: PipelinedConnection[];
  readonly #waiting: ((connection: PipelinedConnection) => void)[] = [];

  constructor(connections: readonly PipelinedConnection[], timeoutMs: number) {
    this.connections = connections;
    this.#timeoutMs = timeoutMs;
    this.#free = [...connections];
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  async use<T>(startedAt: number, work: (connection: PipelinedConnection) => Promise<T>): Promise<T> {
    const connection = this.#free.pop() ?? (await this.#next(startedAt));
    try {
      return await work(connection);
    } finally {
      const next = this.#waiting.shift();
      if (next) next(connection);
      else this.#free.push(connection);
    }
  }

  #next(startedAt: number): Promise<PipelinedConnection> {
    if (this.#waiting.length >= MAX_WAITING) throw new StoreUnavailable('too many transactions wait for a connection');
    return new Promise((resolve, reject) => {
      const take = (connection: PipelinedConnection) => {
        clearTimeout(timer);
        resolve(connection);
      };
      const left = Math.max(0, startedAt + this.#timeoutMs - performance.now());
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(take), 1);
        reject(new OperationTimeout('no connection to the database became free in time'));
      }, left);
      this.#waiting.push(take);
    });
  }
}

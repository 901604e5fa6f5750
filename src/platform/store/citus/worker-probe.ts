import type { ConnectionPool } from '../postgres/connection-pool.ts';
import { ConnectionLost, ConnectionSilent } from '../postgres/faults.ts';
import { statement } from '../postgres/statement.ts';
import type { Worker } from './shards.ts';

/** The coordinator asks the worker something on a connection that it has or makes. */
const ASK = statement('SELECT citus_check_connection_to_node($1, $2) AS answered');

/** Longer than a busy machine makes wait; a worker that takes longer is no use to a request. */
const PROBE_MS = 2000;

/** Whether a worker answers. One question at a time, in the worker's own pool: where that is stuck, its statements are too. */
export class WorkerProbe {
  readonly #pool: ConnectionPool;
  #worker: Worker;
  #isLost = false;
  #asking = false;

  constructor(pool: ConnectionPool, worker: Worker) {
    this.#pool = pool;
    this.#worker = worker;
  }

  get address(): string {
    return this.#worker.address;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** Another machine may have taken its place. */
  follow(worker: Worker): void {
    this.#worker = worker;
  }

  /** Resolves when the worker has answered, or after PROBE_MS. */
  async check(): Promise<void> {
    if (this.#asking) return;
    this.#asking = true;
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const overdue = setTimeout(() => {
      this.#isLost = true;
      resolve();
    }, PROBE_MS).unref();
    const asked = this.#answers().then(answers => {
      clearTimeout(overdue);
      this.#isLost = !answers;
      this.#asking = false;
    });
    await Promise.race([asked, late]);
  }

  async #answers(): Promise<boolean> {
    const { host, port } = this.#worker;
    try {
      const [row] = await this.#pool.read(ASK, [host, port], performance.now());
      return row?.answered === true;
    } catch (error) {
      // Of the coordinator, nothing is known about the worker. It is asked again soon.
      return error instanceof ConnectionLost && !(error instanceof ConnectionSilent) && !this.#isLost;
    }
  }
}

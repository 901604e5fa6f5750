import type { Socket } from 'node:net';
import { Client, types } from 'pg';
import { StoreUnavailable, StoreUnusable } from '../../faults.ts';
import { refusesUs } from './faults.ts';

/** However long operations may take: a server that says nothing for so long is tried anew. */
const MAX_CONNECT_MS = 10_000;
/** After nobody could be reached, everybody is told so for this long before it is tried again. */
const FAILURE_KEPT_MS = 100;
const END_MS = 1000;

/** Times and counters are 64 bits wide and fit a JavaScript number. */
const INT8 = 20;
const ownTypes = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8 && format !== 'binary' ? Number : types.getTypeParser(oid, format as 'text'),
};

const IS_WRITABLE = "SELECT current_setting('transaction_read_only') AS read_only";

/**
 * What every connection is told. Time-outs: no statement outlives the request behind it. A wait for a lock ends sooner: a group of
 * writes is then undone and each is tried alone, which needs time as well. Plans: every statement is a look-up by key, so plans
 * are made once and never turn into a walk over a table because the statistics of the night before called it small.
 */
const settings = (timeoutMs: number) => `
  SET statement_timeout = ${timeoutMs}; SET lock_timeout = ${Math.ceil(timeoutMs / 4)};
  SET idle_in_transaction_session_timeout = ${2 * timeoutMs};
  SET plan_cache_mode = force_generic_plan; SET jit = off;
  SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off;
  ${IS_WRITABLE}`;

/** Nobody said anything. */
export class ConnectTimeout extends StoreUnavailable {}

/** The hosts DATABASE_URL names: connections go to the one that takes writes, as after a fail-over it is another one. */
export class Hosts {
  readonly #addresses: readonly string[];
  /** For an operation, from its start to its answer. */
  readonly timeoutMs: number;
  #preferred = 0;
  #failure: { readonly error: StoreUnavailable; readonly until: number } | undefined;

  constructor(addresses: readonly string[], timeoutMs: number) {
    this.#addresses = addresses;
    this.timeoutMs = Math.ceil(timeoutMs);
  }

  connect(): Promise<Client> {
    return this.#connect(settings(this.timeoutMs));
  }

  /** Leaves the session as it is: a pooler in between may give it to somebody else. */
  connectWithoutSettings(): Promise<Client> {
    return this.#connect(IS_WRITABLE);
  }

  async #connect(setUp: string): Promise<Client> {
    if (this.#failure && performance.now() < this.#failure.until) throw this.#failure.error;
    const faults: unknown[] = [];
    for (let turn = 0; turn < this.#addresses.length; turn++) {
      const index = (this.#preferred + turn) % this.#addresses.length;
      try {
        const client = await this.#connectTo(this.#addresses[index] ?? '', setUp);
        this.#preferred = index;
        this.#failure = undefined;
        return client;
      } catch (error) {
        faults.push(error);
      }
    }
    const why = `cannot reach the database: ${faults.map(complaint).join('; ')}`;
    // It took its time to find out already.
    if (faults.some(fault => fault instanceof ConnectTimeout)) throw new ConnectTimeout(why);
    const error = new (faults.every(refusesUs) ? StoreUnusable : StoreUnavailable)(why);
    this.#failure = { error, until: performance.now() + FAILURE_KEPT_MS };
    throw error;
  }

  /** Without the limits of a request: for migrations and housekeeping. */
  async connectForMaintenance(): Promise<Client> {
    const client = await this.connect();
    await client.query(`RESET ALL; SET lock_timeout = ${this.timeoutMs}`);
    return client;
  }

  async #connectTo(address: string, setUp: string): Promise<Client> {
    const client = new Client({
      connectionString: address,
      application_name: 'gatehouse',
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      pipeline: true,
      types: ownTypes,
    });
    // Whoever has a query under way hears of it through that; a connection at rest is noticed when it is next needed.
    client.on('error', () => {});
    // The driver's own limit ends with the greeting; the settings that follow can wait for a frozen server as well. With several
    // hosts, an operation that waits for the first must have time left for the others.
    const limit = Math.min(this.timeoutMs, MAX_CONNECT_MS) / this.#addresses.length;
    const overdue = setTimeout(() => destroy(client, new ConnectTimeout('it did not answer in time')), limit);
    try {
      await client.connect();
      const results = [await client.query(setUp)].flat();
      if (results.at(-1)?.rows[0]?.read_only === 'on') throw new Error('this server takes no writes');
      return client;
    } catch (error) {
      destroy(client);
      throw error;
    } finally {
      clearTimeout(overdue);
    }
  }
}

/** At once and without a word to the server, which may not be there to hear it. What is under way ends with the reason. */
export function destroy(client: Client, reason?: Error): void {
  (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy(reason);
}

/** With a word to the server, unless it is too late for that. */
export async function end(client: Client): Promise<void> {
  const overdue = setTimeout(() => destroy(client), END_MS);
  await client.end();
  clearTimeout(overdue);
}

function complaint(error: unknown): string {
  const { message, code, errors } = error as Error & { code?: string; errors?: Error[] };
  // Node.js tries every address of a name and then has a message for each, but none for all of them.
  return message || errors?.map(one => one.message).join(', ') || code || 'unknown';
}

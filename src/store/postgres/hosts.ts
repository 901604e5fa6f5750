import type { Socket } from 'node:net';
import { Client, types } from 'pg';
import { StoreUnavailable } from '../store.ts';

/** Long enough for a server far away, short enough that a request behind it is answered in time. */
const CONNECT_MS = 900;
/** After nobody could be reached, everybody is told so for this long before it is tried again. */
const PAUSE_MS = 100;
const END_MS = 1000;

/** Times and counters are 64 bits wide and fit a JavaScript number. */
const INT8 = 20;
const ownTypes = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8 && format !== 'binary' ? Number : types.getTypeParser(oid, format as 'text'),
};

/**
 * What every connection is told. Time-outs: no statement and no wait for a lock outlives the patience of the request behind
 * it. Plans: every statement is a look-up by key, so plans are made once and never turn into a walk over a table because the
 * statistics of the night before called it small.
 */
const SETTINGS = `
  SET statement_timeout = 1000; SET lock_timeout = 600; SET idle_in_transaction_session_timeout = 5000;
  SET plan_cache_mode = force_generic_plan; SET jit = off;
  SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off;
  SELECT current_setting('transaction_read_only') AS read_only`;

/** The hosts DATABASE_URL names: connections go to the one that takes writes, as after a fail-over it is another one. */
export class Hosts {
  readonly #addresses: readonly string[];
  #preferred = 0;
  #failure: { readonly error: StoreUnavailable; readonly until: number } | undefined;

  constructor(addresses: readonly string[]) {
    this.#addresses = addresses;
  }

  async connect(): Promise<Client> {
    if (this.#failure && performance.now() < this.#failure.until) throw this.#failure.error;
    const complaints: string[] = [];
    for (let turn = 0; turn < this.#addresses.length; turn++) {
      const index = (this.#preferred + turn) % this.#addresses.length;
      try {
        const client = await connectTo(this.#addresses[index] ?? '');
        this.#preferred = index;
        this.#failure = undefined;
        return client;
      } catch (error) {
        complaints.push(complaint(error));
      }
    }
    const error = new StoreUnavailable(`cannot reach the database: ${complaints.join('; ')}`);
    this.#failure = { error, until: performance.now() + PAUSE_MS };
    throw error;
  }

  /** Without the limits of a request: for migrations and housekeeping. */
  async connectForMaintenance(): Promise<Client> {
    const client = await this.connect();
    await client.query('RESET ALL; SET lock_timeout = 2000');
    return client;
  }
}

async function connectTo(address: string): Promise<Client> {
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
  // The driver's own limit ends with the greeting; the settings that follow can wait for a frozen server as well.
  const overdue = setTimeout(() => destroy(client, new Error('it did not answer in time')), CONNECT_MS);
  try {
    await client.connect();
    const results = (await client.query(SETTINGS)) as unknown as { rows: { read_only: string }[] }[];
    if (results.at(-1)?.rows[0]?.read_only === 'on') throw new Error('this server takes no writes');
    return client;
  } catch (error) {
    destroy(client);
    throw error;
  } finally {
    clearTimeout(overdue);
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

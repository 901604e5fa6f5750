import type { Socket } from 'node:net';
import { Client, types } from 'pg';
import { StoreUnavailable, StoreUnusable } from '../faults.ts';
import { refusesUs } from './faults.ts';
import { maintenanceSettings, requestSettings, toSet } from './session-settings.ts';

/** The limit for connecting, even if DATABASE_TIMEOUT is longer: after this time without an answer it is tried again. */
const MAX_CONNECT_MS = 10_000;
/** After no host could be reached, operations fail at once for this long before the next attempt to connect. */
const FAILURE_CACHE_MS = 100;
const END_MS = 1000;

/** The OID of bigint. Times and counters are bigint in the schema and small enough for a JavaScript number. */
const INT8 = 20;
const ownTypes = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8 && format !== 'binary' ? Number : types.getTypeParser(oid, format as 'text'),
};

const IS_WRITABLE = "SELECT current_setting('transaction_read_only') AS read_only";

/** No host answered in time. */
export class ConnectTimeout extends StoreUnavailable {}

/**
 * Where a connection has the settings of requests from: its own SET, or the role (role-settings.ts). A pooler that hands out
 * connections by transaction would keep a SET in its pool, for whichever client comes next.
 */
export type SettingsFrom = 'session' | 'role';

export interface HostsOptions {
  readonly settingsFrom?: SettingsFrom;
  /** They are the coordinator of a Citus cluster. */
  readonly isCitus?: boolean;
}

/** The hosts of DATABASE_URL, or of DATABASE_LISTEN_URL. Connections go to the one that accepts writes, which changes with a fail-over. */
export class Hosts {
  readonly #addresses: readonly string[];
  /** For an operation, from its start to its answer. */
  readonly timeoutMs: number;
  readonly #options: HostsOptions;
  #preferred = 0;
  #failure: { readonly error: StoreUnavailable; readonly until: number } | undefined;

  constructor(addresses: readonly string[], timeoutMs: number, options: HostsOptions = {}) {
    this.#addresses = addresses;
    this.#options = options;
    this.timeoutMs = Math.ceil(timeoutMs);
  }

  connect(): Promise<Client> {
    if (this.#options.settingsFrom === 'role') return this.connectWithoutSettings();
    return this.#connect(`${toSet(requestSettings(this.timeoutMs, this.#options.isCitus))} ${IS_WRITABLE}`);
  }

  /** Changes no setting of the session: a pooler may give the session to another client. */
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
    // Not cached: this attempt has already taken its time.
    if (faults.some(fault => fault instanceof ConnectTimeout)) throw new ConnectTimeout(why);
    const error = new (faults.every(refusesUs) ? StoreUnusable : StoreUnavailable)(why);
    this.#failure = { error, until: performance.now() + FAILURE_CACHE_MS };
    throw error;
  }

  /** Without the limits of a request: for migrations and housekeeping. Never through a pooler by transaction. */
  connectForMaintenance(): Promise<Client> {
    const settings = maintenanceSettings(this.timeoutMs, this.#options.isCitus);
    return this.#connect(`${toSet(settings)} ${IS_WRITABLE}`);
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
    // Without a listener the event would end the process. A pending query is rejected anyway; an idle connection is replaced when
    // it is next used.
    client.on('error', () => {});
    // The driver's own limit covers the handshake only; the server may also hang at the settings that follow. With several hosts,
    // an operation that waits for the first must have time left for the others.
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

/**
 * Closes the socket at once, without a Terminate message: the server may be unreachable. Pending queries fail with the reason.
 */
export function destroy(client: Client, reason?: Error): void {
  (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy(reason);
}

/** Closes the connection with a Terminate message; destroys it if that takes longer than END_MS. */
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

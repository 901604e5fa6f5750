import type { Client } from 'pg';
import { StoreUnavailable } from '../faults.ts';
import { CODE_RETENTION_SECONDS, USED_ID_RETENTION_SECONDS } from '../retention.ts';
import { withinTime } from '../within-time.ts';
import { asStoreFault, isWorkerFault, NO_PARTITION, sqlState } from './faults.ts';
import { destroy, end, type Hosts } from './hosts.ts';

/**
 * Codes, tokens, sessions and used identifiers are partitioned by the time of their end, with which their keys begin. A lookup by key reads one
 * partition, and the purge drops a partition whose rows have all ended, without visiting a row.
 *
 * The purge creates partitions ahead; a missing one is created when it is first needed. Creating and dropping use only locks that
 * do not block requests (ATTACH, DETACH CONCURRENTLY). A default partition would need stronger locks, so there is none.
 */
const HOUR = 3600;
const DAY = 86_400;
const WEEK = 7 * DAY;

interface PartitionScheme {
  /** How many seconds of ends one partition holds. */
  readonly width: number;
  /** How long after the end of the last row a partition is dropped. */
  readonly retentionSeconds: number;
  /** For how far ahead partitions are created before they are needed: what is issued with the default lifetimes. */
  readonly ahead: number;
}

export const partitionSchemes = {
  access_tokens: { width: DAY, retentionSeconds: 0, ahead: 2 * DAY },
  codes: { width: DAY, retentionSeconds: CODE_RETENTION_SECONDS, ahead: 2 * DAY },
  refresh_tokens: { width: WEEK, retentionSeconds: 0, ahead: 6 * WEEK },
  sessions: { width: WEEK, retentionSeconds: 0, ahead: 6 * WEEK },
  used_ids: { width: HOUR, retentionSeconds: USED_ID_RETENTION_SECONDS, ahead: 2 * HOUR },
} as const satisfies Record<string, PartitionScheme>;

export type PartitionedTable = keyof typeof partitionSchemes;
export const partitionedTables = Object.keys(partitionSchemes) as PartitionedTable[];

/** "part" as a number: the advisory lock under which one node at a time creates partitions. */
const LOCK = 0x70617274;

interface Partition {
  readonly table: PartitionedTable;
  readonly start: number;
}

/** A key of the store, and the table it is written to. */
export type PartitionKey = readonly [PartitionedTable, Uint8Array];

export class Partitions {
  readonly #hosts: Hosts;
  readonly #known: Readonly<Record<PartitionedTable, Set<number>>> = {
    access_tokens: new Set(),
    codes: new Set(),
    refresh_tokens: new Set(),
    sessions: new Set(),
    used_ids: new Set(),
  };
  readonly #creating = new Map<string, Promise<void>>();

  constructor(hosts: Hosts) {
    this.#hosts = hosts;
  }

  /**
   * Runs the part of an operation that writes to these places. A partition may be missing although it was created: after a
   * fail-over to a server that did not receive it. It is then created again.
   */
  writing<T>(
    { startedAt }: { readonly startedAt: number },
    places: readonly PartitionKey[],
    work: () => Promise<T>,
  ): Promise<T> {
    const created = this.#within(startedAt, this.missing(...places));
    return (created ? created.then(work) : work()).catch(async error => {
      if (sqlState((error as Error).cause) !== NO_PARTITION) throw error;
      this.#forget();
      await this.#within(startedAt, this.missing(...places));
      return work();
    });
  }

  /** Creates the missing partitions. Undefined, nearly always: there is none. */
  missing(...places: readonly PartitionKey[]): Promise<void> | undefined {
    if (places.every(([table, key]) => this.#known[table].has(startOf(table, endOfKey(key))))) return undefined;
    const wanted = places.map(([table, key]) => ({ table, start: startOf(table, endOfKey(key)) }));
    return this.#create([...new Map(wanted.map(partition => [nameOf(partition), partition])).values()]);
  }

  /** Table by table: on a Citus cluster one of whose workers is down, the partitions of the coordinator are made nevertheless. */
  async createAhead(client: Client, now: number, has: (table: string) => boolean = () => true): Promise<void> {
    let fault: unknown;
    for (const table of partitionedTables.filter(has)) {
      const { width, ahead } = partitionSchemes[table];
      const wanted: Partition[] = [];
      for (let start = startOf(table, now); start <= now + ahead; start += width) wanted.push({ table, start });
      await this.#createMissing(client, wanted).catch(error => {
        if (!isWorkerFault(error)) throw error;
        fault = error;
      });
    }
    if (fault) throw fault;
  }

  /** Operations that need the same partitions share one attempt; each waits for it no longer than its own timeout. */
  #within(startedAt: number, creating: Promise<void> | undefined): Promise<void> | undefined {
    return creating && withinTime(creating, startedAt, this.#hosts.timeoutMs);
  }

  /** The next write checks again which partitions exist. */
  #forget(): void {
    for (const table of partitionedTables) this.#known[table].clear();
  }

  async #create(wanted: readonly Partition[]): Promise<void> {
    const id = wanted.map(nameOf).join();
    const creating = this.#creating.get(id) ?? this.#createAlone(wanted).finally(() => this.#creating.delete(id));
    this.#creating.set(id, creating);
    return creating;
  }

  async #createAlone(wanted: readonly Partition[]): Promise<void> {
    const client = await this.#hosts.connect();
    // A request waits for this connection, so it ends at the timeout even if the server hangs.
    const frozen = new StoreUnavailable('the database does not answer');
    const overdue = setTimeout(() => destroy(client, frozen), this.#hosts.timeoutMs);
    try {
      await this.#createMissing(client, wanted);
    } finally {
      clearTimeout(overdue);
      await end(client);
    }
  }

  async #createMissing(client: Client, wanted: readonly Partition[]): Promise<void> {
    const unknown = wanted.filter(({ table, start }) => !this.#known[table].has(start));
    if (unknown.length === 0) return;
    await client.query('BEGIN');
    try {
      await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
      const { rows } = await client.query(
        'SELECT name FROM unnest($1::text[]) AS wanted (name) WHERE to_regclass(name) IS NULL',
        [unknown.map(nameOf)],
      );
      const missing = new Set(rows.map(row => row.name));
      for (const partition of unknown) if (missing.has(nameOf(partition))) await createPartition(client, partition);
      await client.query('COMMIT');
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {});
      throw asStoreFault(error);
    }
    for (const { table, start } of unknown) this.#known[table].add(start);
  }
}

async function createPartition(client: Client, partition: Partition): Promise<void> {
  const { table, start } = partition;
  const name = nameOf(partition);
  const range = `FROM ('${bound(start)}') TO ('${bound(start + partitionSchemes[table].width)}')`;
  await client.query(`CREATE TABLE ${name} (LIKE ${table} INCLUDING ALL)`);
  await client.query(`ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES ${range}`);
}

/** Of any key that is written to a partitioned table: it begins with the time of its end. */
function endOfKey(key: Uint8Array): number {
  return new DataView(key.buffer, key.byteOffset, key.byteLength).getUint32(0);
}

function startOf(table: PartitionedTable, end: number): number {
  return end - (end % partitionSchemes[table].width);
}

/** The table and the first second that the partition holds: sorted by name, the oldest partition of a table is the first. */
function nameOf({ table, start }: Partition): string {
  return `${table}_${String(start).padStart(10, '0')}`;
}

/** Keys are compared byte by byte, so four bytes bound all that begin with them. */
function bound(seconds: number): string {
  return `\\x${Math.min(seconds, 0xffffffff).toString(16).padStart(8, '0')}`;
}

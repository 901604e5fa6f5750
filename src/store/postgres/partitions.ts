import type { Client } from 'pg';
import { CODE_KEPT } from '../retention.ts';
import { StoreUnavailable } from '../store.ts';
import { asStoreFault, NO_PARTITION, sqlState } from './faults.ts';
import { destroy, end, type Hosts } from './hosts.ts';

/**
 * Codes, tokens and sessions are kept apart by the time of their end, which is what their keys begin with: a look-up by key
 * touches one part of the table, and what has ended goes by dropping its part, without a row being visited.
 *
 * Parts are made ahead by the purge; one that is missing all the same is made when it is first needed. Making and dropping
 * take only locks that let requests go on (ATTACH, DETACH CONCURRENTLY), which is why there is no default part.
 */
const DAY = 86_400;
const WEEK = 7 * DAY;

interface Division {
  /** Seconds of ends that one part holds. */
  readonly width: number;
  /** How long after the end of the last row a part is dropped. */
  readonly kept: number;
  /** For how far ahead parts are made before they are needed: what is issued with the default lifetimes. */
  readonly ahead: number;
}

export const divisions = {
  access_tokens: { width: DAY, kept: 0, ahead: 2 * DAY },
  codes: { width: DAY, kept: CODE_KEPT, ahead: 2 * DAY },
  refresh_tokens: { width: WEEK, kept: 0, ahead: 6 * WEEK },
  sessions: { width: WEEK, kept: 0, ahead: 6 * WEEK },
} as const satisfies Record<string, Division>;

export type DividedTable = keyof typeof divisions;
export const dividedTables = Object.keys(divisions) as DividedTable[];

/** "part" as a number: the advisory lock under which one node at a time makes and drops parts. */
const LOCK = 0x70617274;
/** A little longer than the server lets a statement run. */
const MAKE_MS = 1200;

interface Part {
  readonly table: DividedTable;
  readonly start: number;
}

/** A key of the store, and the table it is written to. */
export type Place = readonly [DividedTable, Uint8Array];

export class Partitions {
  readonly #hosts: Hosts;
  readonly #known: Readonly<Record<DividedTable, Set<number>>> = {
    access_tokens: new Set(),
    codes: new Set(),
    refresh_tokens: new Set(),
    sessions: new Set(),
  };
  readonly #making = new Map<string, Promise<void>>();

  constructor(hosts: Hosts) {
    this.#hosts = hosts;
  }

  /**
   * Runs what writes to these places. A part that was there may have gone, with a fail-over to a server that had not heard
   * of it: then it is made again.
   */
  async writing<T>(places: readonly Place[], work: () => Promise<T>): Promise<T> {
    await this.missing(...places);
    try {
      return await work();
    } catch (error) {
      if (sqlState((error as Error).cause) !== NO_PARTITION) throw error;
      this.#forget();
      await this.missing(...places);
      return work();
    }
  }

  /** Undefined when the parts for these keys are there, as nearly always. */
  missing(...places: readonly Place[]): Promise<void> | undefined {
    if (places.every(([table, key]) => this.#known[table].has(startOf(table, endIn(key))))) return undefined;
    const wanted = places.map(([table, key]) => ({ table, start: startOf(table, endIn(key)) }));
    return this.#make([...new Map(wanted.map(part => [partName(part), part])).values()]);
  }

  /** What was thought to be there is looked up again. */
  #forget(): void {
    for (const table of dividedTables) this.#known[table].clear();
  }

  async makeAhead(client: Client, now: number): Promise<void> {
    const wanted: Part[] = [];
    for (const table of dividedTables) {
      const { width, ahead } = divisions[table];
      for (let start = startOf(table, now); start <= now + ahead; start += width) wanted.push({ table, start });
    }
    await this.#makeMissing(client, wanted);
  }

  async #make(wanted: readonly Part[]): Promise<void> {
    const id = wanted.map(partName).join();
    const making = this.#making.get(id) ?? this.#makeAlone(wanted).finally(() => this.#making.delete(id));
    this.#making.set(id, making);
    return making;
  }

  async #makeAlone(wanted: readonly Part[]): Promise<void> {
    const client = await this.#hosts.connect();
    // A request waits for it: a server that froze in between must not keep it.
    const frozen = new StoreUnavailable('the database does not answer');
    const overdue = setTimeout(() => destroy(client, frozen), MAKE_MS);
    try {
      await this.#makeMissing(client, wanted);
    } finally {
      clearTimeout(overdue);
      await end(client);
    }
  }

  async #makeMissing(client: Client, wanted: readonly Part[]): Promise<void> {
    const unknown = wanted.filter(({ table, start }) => !this.#known[table].has(start));
    if (unknown.length === 0) return;
    await client.query('BEGIN');
    try {
      await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
      const { rows } = await client.query(
        'SELECT name FROM unnest($1::text[]) AS name WHERE to_regclass(name) IS NULL',
        [unknown.map(partName)],
      );
      const missing = new Set(rows.map(row => row.name));
      for (const part of unknown) if (missing.has(partName(part))) await makePart(client, part);
      await client.query('COMMIT');
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {});
      throw asStoreFault(error);
    }
    for (const { table, start } of unknown) this.#known[table].add(start);
  }
}

async function makePart(client: Client, part: Part): Promise<void> {
  const { table, start } = part;
  const name = partName(part);
  const range = `FROM ('${bound(start)}') TO ('${bound(start + divisions[table].width)}')`;
  await client.query(`CREATE TABLE ${name} (LIKE ${table} INCLUDING ALL)`);
  await client.query(`ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES ${range}`);
}

/**
 * Parts whose last row has ended, one table after the other, oldest first. By name, since one whose node died after it had
 * detached it belongs to no table any more.
 */
export async function endedParts(client: Client, now: number): Promise<{ table: DividedTable; name: string }[]> {
  const { rows } = await client.query(
    `SELECT parent.relname AS "table", part.relname AS name
     FROM pg_class parent JOIN pg_class part ON part.relnamespace = parent.relnamespace AND part.relkind = 'r'
       AND part.relname ~ ('^' || parent.relname || '_[0-9]{10}$')
     WHERE parent.oid = ANY ($1::regclass[]) ORDER BY part.relname`,
    [dividedTables],
  );
  return rows.filter(({ table, name }: { table: DividedTable; name: string }) => {
    const { width, kept } = divisions[table];
    return Number(name.slice(name.lastIndexOf('_') + 1)) + width + kept <= now;
  });
}

export async function dropPart(client: Client, table: DividedTable, name: string): Promise<void> {
  // A node that died in the middle left a part that is half detached: the first finishes it, the second is the usual way.
  const { rows } = await client.query(
    'SELECT inhdetachpending AS half FROM pg_inherits WHERE inhrelid = to_regclass($1)',
    [name],
  );
  if (rows.length > 0)
    await client.query(`ALTER TABLE ${table} DETACH PARTITION ${name} ${rows[0].half ? 'FINALIZE' : 'CONCURRENTLY'}`);
  await client.query(`DROP TABLE IF EXISTS ${name}`);
}

function endIn(key: Uint8Array): number {
  return new DataView(key.buffer, key.byteOffset, key.byteLength).getUint32(0);
}

function startOf(table: DividedTable, end: number): number {
  return end - (end % divisions[table].width);
}

/** After the first second it holds, so that the oldest part of a table is the first by name. */
function partName({ table, start }: Part): string {
  return `${table}_${String(start).padStart(10, '0')}`;
}

/** Keys are compared byte by byte, so four bytes bound all that begin with them. */
function bound(seconds: number): string {
  return `\\x${Math.min(seconds, 0xffffffff).toString(16).padStart(8, '0')}`;
}

/** What PostgreSQL counts, before and after a load. */
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { HEAP, type Table, tables } from './rows.ts';

export interface Counters {
  readonly transactions: number;
  readonly pagesRead: number;
  readonly rowsWritten: number;
  readonly walBytes: number;
  readonly pageImages: number;
}

/** A process reports what it has counted once a second, and when it has been idle for so long. */
const REPORT_MS = 1200;

const SELECT = `SELECT d.xact_commit AS transactions, d.blks_read AS "pagesRead",
    d.tup_inserted + d.tup_updated + d.tup_deleted AS "rowsWritten",
    pg_current_wal_lsn() - '0/0'::pg_lsn AS "walBytes", w.wal_fpi AS "pageImages"
  FROM pg_stat_database d, pg_stat_wal w WHERE d.datname = current_database()`;

export class Observer {
  readonly #db: Client;

  private constructor(db: Client) {
    this.#db = db;
  }

  static async open(url: string): Promise<Observer> {
    const db = new Client({ connectionString: url });
    await db.connect();
    return new Observer(db);
  }

  close(): Promise<void> {
    return this.#db.end();
  }

  checkpoint(): Promise<unknown> {
    return this.#db.query('CHECKPOINT');
  }

  /** The counters of `work`, without what the idle server does in the same time. */
  async during<T>(work: () => Promise<T>): Promise<readonly [T, Counters]> {
    const before = await this.#read();
    const result = await work();
    const after = await this.#read();
    const names = Object.keys(before) as (keyof Counters)[];
    const grown = names.map(name => [name, after[name] - before[name]]);
    return [result, Object.fromEntries(grown) as unknown as Counters];
  }

  async #read(): Promise<Counters> {
    await pause(REPORT_MS);
    const { rows } = await this.#db.query(SELECT);
    return Object.fromEntries(
      Object.entries(rows[0]).map(([name, value]) => [name, Number(value)]),
    ) as unknown as Counters;
  }

  /** Bytes of the heap and of each index, all partitions together. */
  async sizes(): Promise<Record<Table, Record<string, number>>> {
    const { rows } = await this.#db.query(
      `SELECT root, part, sum(pg_relation_size(relid)) AS bytes FROM (
         SELECT t.name AS root, '${HEAP}' AS part, leaf.relid
         FROM unnest($1::text[]) AS t (name) CROSS JOIN LATERAL (${leavesOf('t.name::regclass')}) AS leaf
         UNION ALL
         SELECT t.name, i.indexrelid::regclass::text, leaf.relid
         FROM unnest($1::text[]) AS t (name) JOIN pg_index i ON i.indrelid = t.name::regclass
           CROSS JOIN LATERAL (${leavesOf('i.indexrelid')}) AS leaf
       ) AS relations GROUP BY root, part`,
      [tables],
    );
    const all = Object.fromEntries(tables.map(table => [table, {} as Record<string, number>]));
    for (const { root, part, bytes } of rows) (all[root] as Record<string, number>)[part] = Number(bytes);
    return all as Record<Table, Record<string, number>>;
  }

  async databaseBytes(): Promise<number> {
    return Number((await this.#db.query('SELECT pg_database_size(current_database()) AS bytes')).rows[0].bytes);
  }
}

/** The partitions of a table or index, or itself where it has none. */
function leavesOf(relation: string): string {
  return `SELECT relid FROM pg_partition_tree(${relation}) WHERE isleaf
    UNION SELECT oid FROM pg_class WHERE oid = ${relation} AND relkind IN ('r', 'i')`;
}

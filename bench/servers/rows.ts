/** Rows written past the store's own interface, which takes them one login at a time; the same for both stores. */
import { Client } from 'pg';
import { openPostgresTarget } from '../../src/store/postgres/transfer.ts';
import { openSqliteTarget } from '../../src/store/sqlite/transfer.ts';
import { type CopyRow, type CopyTable, type CopyValue, tables } from '../../src/store/transfer.ts';
import { GATEHOUSE } from './gatehouse.ts';
import { databaseUrl, type Place, storeAddress } from './place.ts';

export type Row = Readonly<Record<string, CopyValue>>;

export interface Rows {
  /** Columns that are not named are NULL. */
  add(table: string, rows: Iterable<Row>): Promise<void>;
  first(table: string): Promise<Row>;
  /** Leaves the database as it is when it has been at rest: counted, and with nothing left to be written. */
  close(): Promise<void>;
}

const BATCH = 5000;

export async function openRows(place: Place): Promise<Rows> {
  const address = storeAddress(place, GATEHOUSE);
  const target = address.kind === 'sqlite' ? openSqliteTarget(address.path) : await openPostgresTarget(address);
  return {
    async add(name, rows) {
      const table = tableOf(name);
      for (const batch of batches(table, rows)) await target.add(table, batch);
    },
    async first(name) {
      const table = tableOf(name);
      for await (const [row] of target.rows(table)) if (row) return rowOf(table, row);
      throw new Error(`there is nothing in ${name}`);
    },
    async close() {
      await target.close();
      if (place.postgres) await settle(databaseUrl(place.postgres, GATEHOUSE));
    },
  };
}

async function settle(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('VACUUM ANALYZE');
  await client.query('CHECKPOINT');
  await client.end();
}

function tableOf(name: string): CopyTable {
  const table = tables.find(table => table.name === name);
  if (!table) throw new Error(`there is no table ${name}`);
  return table;
}

function rowOf({ columns }: CopyTable, cells: CopyRow): Row {
  return Object.fromEntries(columns.map(({ name }, index) => [name, cells[index] ?? null]));
}

function* batches({ columns }: CopyTable, rows: Iterable<Row>): Generator<CopyRow[]> {
  let batch: CopyRow[] = [];
  for (const row of rows) {
    batch.push(columns.map(({ name }) => row[name] ?? null));
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

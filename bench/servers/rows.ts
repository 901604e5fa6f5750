/** Rows written past the store's own interface, which takes them one login at a time; the same for both stores. */
import { Client } from 'pg';
import { storeTables } from '../../src/assembly/store-tables.ts';
import { openPostgresTarget } from '../../src/operators/copy-database/postgres.ts';
import { openSqliteTarget } from '../../src/operators/copy-database/sqlite.ts';
import type { CopyValue } from '../../src/operators/copy-database/store.ts';
import { databaseUrl, GATEHOUSE, type Place, storeAddress } from './place.ts';

const tables = storeTables();

export type Row = Readonly<Record<string, CopyValue>>;

export interface Rows {
  /** Columns that are not named are NULL. */
  add(table: string, rows: readonly Row[]): Promise<void>;
  all(table: string): Promise<Row[]>;
  /** Leaves the database as it is when it has been at rest: counted, and with nothing left to be written. */
  close(): Promise<void>;
}

export async function openRows(place: Place): Promise<Rows> {
  const address = storeAddress(place, GATEHOUSE);
  const target =
    address.kind === 'sqlite' ? openSqliteTarget(address.path, tables) : await openPostgresTarget(address, tables);
  return {
    async add(name, rows) {
      const table = tableOf(name);
      await target.add(
        table,
        rows.map(row => table.columns.map(column => row[column.name] ?? null)),
      );
    },
    async all(name) {
      const table = tableOf(name);
      const found: Row[] = [];
      for await (const batch of target.rows(table)) {
        for (const cells of batch) {
          found.push(Object.fromEntries(table.columns.map((column, index) => [column.name, cells[index] ?? null])));
        }
      }
      return found;
    },
    async close() {
      await target.close();
      if (place.postgres) await settle(databaseUrl(place.postgres, GATEHOUSE));
    },
  };
}

function tableOf(name: string) {
  const table = tables.copied.find(table => table.name === name);
  if (!table) throw new Error(`there is no table ${name}`);
  return table;
}

async function settle(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('VACUUM ANALYZE');
  await client.query('CHECKPOINT');
  await client.end();
}

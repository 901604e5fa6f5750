/** Millions of rows by statements of the database: the indexes are made after the rows, and triggers come back, as the schema has them. */
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { openStore } from '../../src/assembly/open-store.ts';
import { databaseUrl, GATEHOUSE, type Place, storeAddress } from './place.ts';

export interface ManyRows {
  readonly tables: readonly string[];
  /** In this order. */
  readonly sqlite: readonly string[];
  readonly postgres: readonly string[];
}

export async function fillTables(place: Place, rows: ManyRows): Promise<void> {
  const address = storeAddress(place, GATEHOUSE);
  await (await openStore(address, {})).close();
  if (place.postgres) await fillPostgres(databaseUrl(place.postgres, GATEHOUSE), rows);
  else if (address.kind === 'sqlite') fillSqlite(address.path, rows);
}

function fillSqlite(path: string, { tables, sqlite }: ManyRows): void {
  const db = new DatabaseSync(path);
  db.exec(
    'PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000; PRAGMA temp_store = FILE',
  );
  const parts = db
    .prepare(
      `SELECT type, name, sql FROM sqlite_schema WHERE type IN ('index', 'trigger') AND sql IS NOT NULL
       AND tbl_name IN (${tables.map(() => '?').join(', ')})`,
    )
    .all(...tables);
  for (const { type, name } of parts) db.exec(`DROP ${type} ${name}`);
  for (const statement of sqlite) db.exec(statement);
  for (const { sql } of parts) db.exec(String(sql));
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
}

async function fillPostgres(url: string, { tables, postgres }: ManyRows): Promise<void> {
  const db = new Client({ connectionString: url });
  await db.connect();
  await db.query("SET synchronous_commit = off; SET maintenance_work_mem = '512MB'; SET work_mem = '256MB'");
  const { rows: indexes } = await db.query(
    `SELECT indexname, indexdef FROM pg_indexes WHERE tablename = ANY ($1) AND indexname NOT LIKE '%_pkey'`,
    [tables],
  );
  for (const { indexname } of indexes) await db.query(`DROP INDEX ${indexname}`);
  for (const table of tables) await db.query(`ALTER TABLE ${table} DISABLE TRIGGER ALL`);
  for (const statement of postgres) await db.query(statement);
  for (const { indexdef } of indexes) await db.query(indexdef);
  for (const table of tables) await db.query(`ALTER TABLE ${table} ENABLE TRIGGER ALL`);
  await db.query('ANALYZE');
  await db.end();
}

import type { Config } from '../config.ts';
import { migratePostgres, openPostgresStore } from './postgres/postgres-store.ts';
import { migrateSqlite, openSqliteStore } from './sqlite/sqlite-store.ts';
import type { Store } from './store.ts';

/** The store that DATABASE_URL names, with its schema up to date. */
export async function openStore(database: Config['database']): Promise<Store> {
  return database.kind === 'sqlite' ? openSqliteStore(database.path) : openPostgresStore(database);
}

/** Only that; answers the names of the migrations that were missing. */
export async function migrateStore(database: Config['database']): Promise<string[]> {
  return database.kind === 'sqlite' ? migrateSqlite(database.path) : migratePostgres(database);
}

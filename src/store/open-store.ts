import type { Config } from '../config.ts';
import { openPostgresStore } from './postgres/postgres-store.ts';
import { openSqliteStore } from './sqlite/sqlite-store.ts';
import type { Store } from './store.ts';

/** The store that DATABASE_URL names, with its schema up to date. */
export async function openStore(database: Config['database']): Promise<Store> {
  return database.kind === 'sqlite' ? openSqliteStore(database.path) : openPostgresStore(database);
}

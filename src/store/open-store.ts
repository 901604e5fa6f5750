import type { Config } from '../config.ts';
import type { Store } from './store.ts';

/** Of the two, only the one that is used is loaded: the other takes memory and time to start. */
const sqlite = () => import('./sqlite/sqlite-store.ts');
const postgres = () => import('./postgres/postgres-store.ts');

/** The store that DATABASE_URL names, with its schema up to date. */
export async function openStore(database: Config['database']): Promise<Store> {
  return database.kind === 'sqlite'
    ? (await sqlite()).openSqliteStore(database.path)
    : (await postgres()).openPostgresStore(database);
}

/** Only that; answers the names of the migrations that were missing. */
export async function migrateStore(database: Config['database']): Promise<string[]> {
  return database.kind === 'sqlite'
    ? (await sqlite()).migrateSqlite(database.path)
    : (await postgres()).migratePostgres(database);
}

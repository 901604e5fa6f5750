import type { Config } from '../platform/config/config.ts';
import { OPEN_ATTEMPT_MS } from '../platform/store/database-timeouts.ts';
import type { StoreTables } from '../platform/store/table.ts';
import { untilAvailable } from '../platform/store/until-available.ts';
import type { Store } from '../store.ts';

/** Only the store that is used is loaded: the other would cost memory and start-up time. */
const sqlite = () => import('./store.sqlite.ts');
const postgres = () => import('./store.postgres.ts');

export interface OpenOptions {
  /** For one operation; undefined: the default of DATABASE_TIMEOUT. */
  readonly timeoutMs?: number | undefined;
  /** Called when opening takes longer than a second, with a line on what it waits for. */
  readonly onWait?: ((line: string) => void) | undefined;
  /** Instead of those of capabilities.ts. */
  readonly tables?: StoreTables | undefined;
}

/** The store that DATABASE_URL names, with its schema up to date. */
export function openStore(
  database: Config['database'],
  { timeoutMs, onWait, tables }: OpenOptions = {},
): Promise<Store> {
  return untilAvailable(onWait, async waitsFor =>
    database.kind === 'sqlite'
      ? (await sqlite()).openSqliteStore(database.path, { timeoutMs, openMs: OPEN_ATTEMPT_MS, tables })
      : (await postgres()).openPostgresStore(database, { timeoutMs, waitsFor, tables }),
  );
}

/** Only that; answers the names of the migrations that were missing. */
export function migrateStore(
  database: Config['database'],
  { timeoutMs, onWait, tables }: OpenOptions = {},
): Promise<string[]> {
  return untilAvailable(onWait, async waitsFor =>
    database.kind === 'sqlite'
      ? (await sqlite()).migrateSqlite(database.path, OPEN_ATTEMPT_MS, tables)
      : (await postgres()).migratePostgres(database, { timeoutMs, waitsFor, tables }),
  );
}

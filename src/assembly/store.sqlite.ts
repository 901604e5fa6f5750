import { applications } from '../directory/applications/sqlite.ts';
import { users } from '../directory/users/sqlite.ts';
import { queue } from '../notify/backchannel-logout/sqlite.ts';
import { codes } from '../oauth/authorization-code/sqlite.ts';
import { backchannelTokens } from '../oauth/ciba/sqlite.ts';
import { deviceAuthorizations } from '../oauth/device/sqlite.ts';
import { refreshTokens } from '../oauth/refresh/sqlite.ts';
import { coldWaitingRevocations } from '../oauth/revoke/queries.ts';
import { tokens } from '../oauth/token/sqlite.ts';
import { tokenExchanges } from '../oauth/token-exchange/sqlite.ts';
import { MARK, UNFINISHED } from '../operators/copy-database/store.ts';
import { consents } from '../people/consent/sqlite.ts';
import { credentials } from '../people/password/sqlite.ts';
import { sessions } from '../people/sessions/sqlite.ts';
import { once } from '../platform/single-use/sqlite.ts';
import { purger } from '../platform/store/purge.sqlite.ts';
import { connect, type DatabaseOptions, openDatabase } from '../platform/store/sqlite/database.ts';
import { openingFault } from '../platform/store/sqlite/faults.ts';
import type { StoreTables } from '../platform/store/table.ts';
import type { Store } from '../store.ts';
import { coldDatabase } from './cold-database.sqlite.ts';
import { earlyStore } from './early-store.ts';
import { declaredStore } from './late-store.ts';
import { storeTables } from './store-tables.ts';

export function migrateSqlite(path: string, openMs: number, tables = storeTables()): string[] {
  const { connection, ran } = connect(path, { openMs, further: tables.further });
  connection.close();
  return ran;
}

export interface SqliteOptions extends Omit<DatabaseOptions, 'further'> {
  /** Instead of those of capabilities.ts. */
  readonly tables?: StoreTables | undefined;
}

/** The embedded store: one file, created and migrated when it is opened. */
export function openSqliteStore(path: string, options: SqliteOptions = {}): Store {
  const { tables = storeTables(), ...opening } = options;
  const db = openDatabase(path, { ...opening, further: tables.further });
  try {
    if (db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(MARK)) throw new Error(UNFINISHED);
    const cold = coldDatabase(db);
    return {
      ...applications(db, cold),
      ...declaredStore(tables.parts, cold),
      ...earlyStore(cold),
      ...users(db),
      ...credentials(db),
      ...sessions(db, cold),
      ...consents(db, cold),
      ...queue(db, cold),
      ...coldWaitingRevocations(cold),
      ...deviceAuthorizations(db, cold),
      ...backchannelTokens(db),
      ...codes(db),
      ...tokens(db),
      ...tokenExchanges(db),
      ...refreshTokens(db),
      ...once(db),
      ...purger(db, tables),
      cold,
      // The schema was checked when the file was opened. Only a later release changes it while this process runs.
      check: () => db.write(() => {}),
      load: () => ({ connections: 1, running: 0, waiting: db.waiting() }),
      cluster: () => undefined,
      clock: undefined,
      isSharedByNodes: false,
      close: db.close,
    };
  } catch (error) {
    void db.close();
    throw openingFault(path, error);
  }
}

import type { Store } from '../store.ts';
import { accounts, sessions } from './accounts.ts';
import { openDatabase } from './database.ts';
import { purger } from './purge.ts';
import { registry } from './registry.ts';
import { tokens } from './tokens.ts';

/** The embedded store: one file, made and migrated when it is opened. */
export function openSqliteStore(path: string): Store {
  const db = openDatabase(path);
  return {
    ...registry(db),
    ...accounts(db),
    ...sessions(db),
    ...tokens(db),
    purge: purger(db),
    close: db.close,
  };
}

import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { StoreUnavailable } from '../store.ts';
import { CommitGroup } from './commit-group.ts';
import { asStoreFault } from './faults.ts';
import { type Migration, migrations } from './migrations.ts';
import { ReadGroup } from './read-group.ts';

/** One SQLite file: reads answer at once, writes are committed together (see commit-group.ts). */
export interface Database {
  prepare(sql: string): StatementSync;
  read<T>(work: () => T): Promise<T>;
  write<T>(work: () => T): Promise<T>;
  /** Writes that wait for their commit. */
  waiting(): number;
  close(): Promise<void>;
}

export function openDatabase(path: string, known = migrations): Database {
  const { connection } = connect(path, known);
  const reads = new ReadGroup(connection);
  const group = new CommitGroup(connection, () => reads.end());
  return {
    prepare: sql => connection.prepare(sql),
    read: async work => {
      try {
        reads.begin();
        return work();
      } catch (error) {
        throw asStoreFault(error);
      }
    },
    write: work => group.add(work),
    waiting: () => group.waiting,
    close: async () => {
      await group.drained();
      reads.end();
      connection.close();
    },
  };
}

/** The file, with its schema up to date; `ran` says what was missing. */
export function connect(path: string, known = migrations): { connection: DatabaseSync; ran: string[] } {
  try {
    if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // Another process may hold the write lock for a moment; longer waits are retried without blocking the event loop.
    const connection = new DatabaseSync(path, { enableForeignKeyConstraints: true, timeout: 25 });
    // WAL with FULL: an acknowledged commit has been synced to the disk, readers never wait for the writer.
    // Checkpoints rewrite each page once, however often it changed: with a WAL of 32 MB they come rarely.
    connection.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
      PRAGMA wal_autocheckpoint = 8000; PRAGMA cache_size = -32000`);
    return { connection, ran: migrate(connection, known) };
  } catch (error) {
    throw new StoreUnavailable(`cannot open the database ${path}: ${(error as Error).message}`, { cause: error });
  }
}

function migrate(connection: DatabaseSync, known: readonly Migration[]): string[] {
  connection.exec('PRAGMA busy_timeout = 10000');
  connection.exec('BEGIN IMMEDIATE');
  try {
    const done = Number(connection.prepare('PRAGMA user_version').get()?.user_version);
    if (done > known.length) {
      throw new Error(`its schema is number ${done}, this release knows ${known.length}: use a newer release`);
    }
    for (const migration of known.slice(done)) connection.exec(migration.sql);
    connection.exec(`PRAGMA user_version = ${known.length}`);
    connection.exec('COMMIT; PRAGMA busy_timeout = 25');
    return known.slice(done).map(({ name }) => name);
  } catch (error) {
    connection.exec('ROLLBACK');
    throw error;
  }
}

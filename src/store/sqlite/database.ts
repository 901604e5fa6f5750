import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync } from 'node:fs';
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
    if (path !== ':memory:') makePrivate(path);
    // While it opens, with nobody waiting for this process, another may migrate the file or recover it after a crash.
    const connection = new DatabaseSync(path, { enableForeignKeyConstraints: true, timeout: 10_000 });
    // WAL with FULL: an acknowledged commit has been synced to the disk, readers never wait for the writer.
    // Checkpoints rewrite each page once, however often it changed: with a WAL of 32 MB they come rarely.
    connection.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
      PRAGMA wal_autocheckpoint = 8000; PRAGMA cache_size = -8000`);
    return { connection, ran: migrate(connection, known) };
  } catch (error) {
    const reason = isReadOnly(path) ? 'it or its folder is read-only' : (error as Error).message;
    throw new StoreUnavailable(`cannot open the database ${path}: ${reason}`, { cause: error });
  }
}

/**
 * What is made is for its owner alone. SQLite itself would make the file as the umask has it; the files beside it get its
 * mode. What is there already stays as it is: the folder may be shared (cli/file-modes.ts warns).
 */
function makePrivate(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
}

/** SQLite only says that it cannot open a file, and not that it was one of those beside the database. */
function isReadOnly(path: string): boolean {
  return [path, dirname(path)].some(each => {
    try {
      if (existsSync(each)) accessSync(each, constants.W_OK);
      return false;
    } catch {
      return true;
    }
  });
}

function migrate(connection: DatabaseSync, known: readonly Migration[]): string[] {
  connection.exec('BEGIN IMMEDIATE');
  try {
    const done = Number(connection.prepare('PRAGMA user_version').get()?.user_version);
    if (done > known.length) {
      throw new Error(`its schema is number ${done}, this release knows ${known.length}: use a newer release`);
    }
    for (const migration of known.slice(done)) connection.exec(migration.sql);
    connection.exec(`PRAGMA user_version = ${known.length}`);
    connection.exec('COMMIT');
    // From now on, another process may hold the write lock for a moment; longer waits are retried without blocking the
    // event loop (commit-group.ts).
    connection.exec('PRAGMA busy_timeout = 25');
    return known.slice(done).map(({ name }) => name);
  } catch (error) {
    connection.exec('ROLLBACK');
    throw error;
  }
}

import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  DatabaseSync,
  type SQLInputValue,
  type SQLOutputValue,
  type StatementResultingChanges,
  type StatementSync,
} from 'node:sqlite';
import { DEFAULT_TIMEOUT_MS, OPEN_TIMEOUT_MS } from '../database-timeouts.ts';
import { CREATED, numberAfter, OLDEST_NUMBER, readSchema, whyRefused } from '../schema/number.ts';
import type { FurtherTable } from '../table.ts';
import { CommitGroup } from './commit-group.ts';
import { asStoreFault, openingFault } from './faults.ts';
import { type Migration, migrations, SCHEMA_NUMBER } from './migrations.ts';
import { ReadGroup } from './read-group.ts';

type SqliteRow = Record<string, SQLOutputValue>;

/** Compiled when it is first used: a command uses a few of the hundred that a store has. */
export interface Statement {
  get(...values: SQLInputValue[]): SqliteRow | undefined;
  all(...values: SQLInputValue[]): SqliteRow[];
  run(...values: SQLInputValue[]): StatementResultingChanges;
  setReturnArrays(enabled: boolean): void;
}

/** One SQLite file: reads run at once, writes share commits (commit-group.ts). */
export interface Database {
  prepare(sql: string): Statement;
  read<T>(work: () => T): Promise<T>;
  write<T>(work: () => T): Promise<T>;
  /** Runs a part of a write; overwrites what it deletes with zeros, at the cost of more writing. */
  overwritingDeleted<T>(work: () => T): T;
  /** From now on 64 MB: a write of many rows returns to the same pages again and again. */
  enlargeCache(): void;
  /**
   * Moves the WAL into the file and truncates it, so that it holds no former version of a page. Left undone while another process
   * reads: the next checkpoint overwrites the WAL.
   */
  emptyWal(): void;
  /** Writes that wait for their commit. */
  waiting(): number;
  close(): Promise<void>;
}

export interface Opening {
  /** How long the call waits while another process has locked the file, to migrate it or to recover it after a crash. */
  readonly openMs?: number;
  readonly known?: readonly Migration[];
  /** The tables of capabilities that the file of the schema does not have. */
  readonly further?: readonly FurtherTable[];
}

export interface DatabaseOptions extends Opening {
  /** For one write, from its start. */
  readonly timeoutMs?: number | undefined;
}

export function openDatabase(path: string, options: DatabaseOptions = {}): Database {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, ...opening } = options;
  const { connection } = connect(path, opening);
  const reads = new ReadGroup(connection);
  const group = new CommitGroup(connection, timeoutMs, () => reads.end());
  return {
    prepare: sql => compiledOnUse(connection, sql),
    read: async work => {
      try {
        reads.begin();
        return work();
      } catch (error) {
        throw asStoreFault(error);
      }
    },
    write: work => group.add(work),
    overwritingDeleted: work => {
      connection.exec('PRAGMA secure_delete = ON');
      try {
        return work();
      } finally {
        connection.exec(SECURE_DELETE);
      }
    },
    enlargeCache: () => connection.exec('PRAGMA cache_size = -64000'),
    emptyWal: () => {
      reads.end();
      connection.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    },
    waiting: () => group.waiting,
    close: async () => {
      await group.drained();
      reads.end();
      connection.close();
    },
  };
}

function compiledOnUse(connection: DatabaseSync, sql: string): Statement {
  let compiled: StatementSync | undefined;
  const own = () => {
    compiled ??= connection.prepare(sql);
    return compiled;
  };
  return {
    get: (...values) => own().get(...values),
    all: (...values) => own().all(...values),
    run: (...values) => own().run(...values),
    setReturnArrays: enabled => own().setReturnArrays(enabled),
  };
}

/** Overwrites deleted rows with zeros in pages that are written anyway. */
const SECURE_DELETE = 'PRAGMA secure_delete = FAST';

/** Opens the file, and creates or migrates its schema; `ran` lists what it ran. */
export function connect(path: string, opening: Opening = {}): { connection: DatabaseSync; ran: string[] } {
  const { openMs = OPEN_TIMEOUT_MS, known = migrations, further = [] } = opening;
  try {
    if (path !== ':memory:') makePrivate(path);
    const connection = new DatabaseSync(path, { enableForeignKeyConstraints: true, timeout: openMs });
    // WAL with FULL: an acknowledged commit has been synced to the disk, readers never wait for the writer.
    // A checkpoint writes each page once, however often it changed: a WAL of 32 MB makes checkpoints rare.
    connection.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
      PRAGMA wal_autocheckpoint = 8000; PRAGMA cache_size = -8000; ${SECURE_DELETE}`);
    return { connection, ran: migrate(connection, known, further) };
  } catch (error) {
    throw openingFault(path, error, isReadOnly(path) ? 'it or its folder is read-only' : undefined);
  }
}

/**
 * Creates folder and file for their owner alone. SQLite itself would apply the umask; it gives -wal and -shm the mode of the file.
 * Existing modes stay: the folder may be shared (assembly/file-modes.ts warns).
 */
function makePrivate(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
}

/** SQLite only reports that it cannot open a file, not that the folder is read-only. */
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

function migrate(connection: DatabaseSync, known: readonly Migration[], further: readonly FurtherTable[]): string[] {
  connection.exec('BEGIN IMMEDIATE');
  try {
    const found = Number(connection.prepare('PRAGMA user_version').get()?.user_version);
    const isEmpty = found === 0;
    if (isEmpty) connection.exec(readSchema('sqlite'));
    const number = isEmpty ? SCHEMA_NUMBER : found;
    const refusal = whyRefused(number, known);
    if (refusal !== undefined) throw new Error(`its schema ${refusal}`);
    const missing = known.slice(number - OLDEST_NUMBER);
    for (const { sql } of missing) connection.exec(sql);
    const has = connection.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?');
    const created = further.filter(({ name }) => has.get(name) === undefined);
    for (const { create } of created) connection.exec(create.sqlite);
    connection.exec(`PRAGMA user_version = ${numberAfter(known)}`);
    connection.exec('COMMIT');
    // From now on, another process may hold the write lock for a moment; longer waits are retried without blocking the
    // event loop (commit-group.ts).
    connection.exec('PRAGMA busy_timeout = 25');
    return [...(isEmpty ? [CREATED] : []), ...[...missing, ...created].map(({ name }) => name)];
  } catch (error) {
    connection.exec('ROLLBACK');
    throw error;
  }
}

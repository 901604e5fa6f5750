import type { CopyTable } from '../../platform/store/table.ts';

/**
 * The rows of a store, for copying all of them to another one. Only `gatehouse copy` reads rows; all other code uses the
 * operations of store.ts.
 */
export type CopyValue = string | number | boolean | Uint8Array | null;
/** In the order of the columns of its table. */
export type CopyRow = readonly CopyValue[];

export interface CopyReader {
  /** Reads in batches, in the order of the key: the rows after the key `after`, or all. Only one batch is in memory. */
  rows(table: CopyTable, after?: CopyRow): AsyncIterable<readonly CopyRow[]>;
  close(): Promise<void>;
}

/** The source of a copy, as it was when it was opened or refreshed: later writes are not seen. */
export interface CopySource extends CopyReader {
  /** From now on the rows are read as they are now. */
  refresh(): Promise<void>;
  /** Whether somebody writes, as far as it can be known: on SQLite any write since, on PostgreSQL a server that serves from it. */
  writtenSince(): Promise<boolean>;
  /** The servers that serve from it now, and when each has shown that last. */
  liveNodes(): Promise<readonly LiveNode[]>;
}

export interface LiveNode {
  readonly host: string;
  readonly port: number;
  readonly seenSecondsAgo: number;
}

/** A server renews its row every minute, and removes it when it stops. */
export const LIVE_NODES = 'SELECT host, port, seen_at FROM nodes ORDER BY host, port';
const NODE_TIMEOUT_SECONDS = 180;

export function liveNodes(rows: readonly Readonly<Record<string, unknown>>[]): LiveNode[] {
  const now = Math.floor(Date.now() / 1000);
  return rows
    .map(({ host, port, seen_at }) => ({
      host: String(host),
      port: Number(port),
      seenSecondsAgo: Math.max(0, now - Number(seen_at)),
    }))
    .filter(({ seenSecondsAgo }) => seenSecondsAgo <= NODE_TIMEOUT_SECONDS);
}

/** The target of a copy. A batch is added completely or not at all, so a copy can be continued after the last key. */
export interface CopyTarget extends CopyReader {
  isEmpty(): Promise<boolean>;
  /** The source of a copy that was begun here and not finished. */
  begunFrom(): Promise<string | undefined>;
  /** Marks the target as an unfinished copy of this source. */
  begin(source: string): Promise<void>;
  /** Removes all rows. */
  clear(): Promise<void>;
  lastKey(table: CopyTable): Promise<CopyRow | undefined>;
  /** Rows whose key exists already stay unchanged. */
  add(table: CopyTable, rows: readonly CopyRow[]): Promise<void>;
  /** Removes the rows with these keys. */
  remove(table: CopyTable, keys: readonly CopyRow[]): Promise<void>;
  /** The copy is complete: from now on the target can be opened as a store. */
  finish(): Promise<void>;
}

export interface Transfer {
  readonly source: CopySource;
  readonly target: CopyTarget;
  /** In the order in which they are copied. */
  readonly tables: readonly CopyTable[];
}

/** The source cannot be read or the target cannot be written. The message is for the operator. */
export class TransferRefused extends Error {
  override readonly name = 'TransferRefused';
}

/** The table in a target that names the source of an unfinished copy. A store that has it is not opened. */
export const MARK = 'unfinished_copy';
export const UNFINISHED = 'the database holds an unfinished copy: run "gatehouse copy" again';

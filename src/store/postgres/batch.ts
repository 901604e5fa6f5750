import type { Database } from './database.ts';
import type { Statement } from './statement.ts';

/** Longer ones gain nothing more, and keep the first of them waiting for the last. */
const MAX_BATCH_SIZE = 64;

interface PendingLookup {
  readonly app: string;
  readonly hash: Uint8Array;
  readonly caller: string | null;
  readonly found: (row: never) => void;
  readonly reject: (reason: unknown) => void;
}

export interface BatchStatements {
  /** By $1, $2 and $3: application, key, and the client that asks or null. */
  readonly one: Statement;
  /** By arrays of the same; rows end with the number of the entry they belong to, from 1. */
  readonly many: Statement;
}

/**
 * Look-ups by application and key that are asked for in one turn of the event loop share one statement: a fifth of the work
 * for both sides (docs/decisions/postgres.md). One that is alone goes alone.
 */
export function batched<R extends unknown[], T>(
  db: Database,
  statements: BatchStatements,
  read: (row: R, now: number) => T | undefined,
): (app: string, hash: Uint8Array, now: number, caller?: string) => Promise<T | undefined> {
  let waiting: PendingLookup[] = [];
  const flush = () => {
    const batch = waiting;
    waiting = [];
    for (let start = 0; start < batch.length; start += MAX_BATCH_SIZE)
      void ask(db, statements, batch.slice(start, start + MAX_BATCH_SIZE));
  };
  return (app, hash, now, caller) =>
    new Promise((resolve, reject) => {
      const found = (row: R | undefined) => resolve(row && read(row, now));
      if (waiting.push({ app, hash, caller: caller ?? null, found, reject }) === 1) setImmediate(flush);
    });
}

async function ask(db: Database, { one, many }: BatchStatements, batch: readonly PendingLookup[]): Promise<void> {
  try {
    const rows: (unknown[] | undefined)[] = new Array(batch.length).fill(undefined);
    const single = batch.length === 1 ? batch[0] : undefined;
    if (single) {
      [rows[0]] = (await db.read(one, [single.app, single.hash, single.caller])) as unknown as unknown[][];
    } else {
      const values = [batch.map(({ app }) => app), batch.map(({ hash }) => hash), batch.map(({ caller }) => caller)];
      for (const row of (await db.read(many, values)) as unknown as unknown[][]) rows[(row.at(-1) as number) - 1] = row;
    }
    batch.forEach(({ found }, index) => {
      found(rows[index] as never);
    });
  } catch (error) {
    for (const { reject } of batch) reject(error);
  }
}

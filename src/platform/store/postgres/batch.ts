import { startOfOperation } from '../request-time.ts';
import type { Database } from './database.ts';
import type { Statement } from './statement.ts';
import { CHECK_INTERVAL_MS } from './timeouts.ts';

/** A larger batch gains nothing, and delays its first lookup until the last one is read. */
const MAX_BATCH_SIZE = 64;

interface PendingLookup {
  readonly app: string;
  readonly hash: Uint8Array;
  readonly caller: string | null;
  readonly startedAt: number;
  readonly found: (row: never) => void;
  readonly reject: (reason: unknown) => void;
}

export interface BatchStatements {
  /** By $1, $2 and $3: application (on Citus perhaps with its part), key, and the client_id of the caller or null. */
  readonly one: Statement;
  /**
   * By arrays of the same; rows end with the number of the entry they belong to, from 1. Its form for Citus has one application
   * (or part of one) for all entries.
   */
  readonly many: Statement;
}

/**
 * Lookups by application and key that start in one turn of the event loop share one statement: a fifth of the work for both sides
 * (docs/decisions/postgres.md). A lookup whose request is older than the others' has a statement of its own, because a shared
 * statement has the time of the youngest.
 */
export function batched<R extends unknown[], T>(
  db: Database,
  statements: BatchStatements,
  read: (row: R, now: number) => T | undefined,
): (app: string, hash: Uint8Array, now: number, caller?: string) => Promise<T | undefined> {
  let waiting: PendingLookup[] = [];
  const flush = () => {
    const batch = withoutOld(waiting, old => void runBatch(db, statements, [old]));
    waiting = [];
    for (const group of db.isCitus ? Object.values(Object.groupBy(batch, ({ app }) => app)) : [batch])
      for (let start = 0; start < (group?.length ?? 0); start += MAX_BATCH_SIZE)
        void runBatch(db, statements, group?.slice(start, start + MAX_BATCH_SIZE) ?? []);
  };
  return (app, hash, now, caller) =>
    new Promise((resolve, reject) => {
      const startedAt = startOfOperation();
      const found = (row: R | undefined) => resolve(row && read(row, now));
      if (waiting.push({ app, hash, caller: caller ?? null, startedAt, found, reject }) === 1) setImmediate(flush);
    });
}

/** Takes out the lookups that are older than the youngest by more than CHECK_INTERVAL_MS; usually there is none. */
function withoutOld(batch: PendingLookup[], each: (old: PendingLookup) => void): PendingLookup[] {
  const shared = youngest(batch) - CHECK_INTERVAL_MS;
  if (batch.every(({ startedAt }) => startedAt >= shared)) return batch;
  for (const lookup of batch) if (lookup.startedAt < shared) each(lookup);
  return batch.filter(({ startedAt }) => startedAt >= shared);
}

function youngest(batch: readonly PendingLookup[]): number {
  let latest = 0;
  for (const { startedAt } of batch) if (startedAt > latest) latest = startedAt;
  return latest;
}

async function runBatch(db: Database, { one, many }: BatchStatements, batch: readonly PendingLookup[]): Promise<void> {
  try {
    const rows: (unknown[] | undefined)[] = new Array(batch.length).fill(undefined);
    const startedAt = youngest(batch);
    const single = batch.length === 1 && !db.isCitus ? batch[0] : undefined;
    if (single) {
      const values = [single.app, single.hash, single.caller];
      [rows[0]] = (await db.operation(startedAt).read(one, values)) as unknown as unknown[][];
    } else {
      const app = db.isCitus ? (batch[0]?.app ?? '') : batch.map(({ app }) => app);
      const values = [app, batch.map(({ hash }) => hash), batch.map(({ caller }) => caller)];
      const found = (await db.operation(startedAt).read(many, values)) as unknown as unknown[][];
      for (const row of found) rows[(row.at(-1) as number) - 1] = row;
    }
    batch.forEach(({ found }, index) => {
      found(rows[index] as never);
    });
  } catch (error) {
    for (const { reject } of batch) reject(error);
  }
}

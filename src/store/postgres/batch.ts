import type { Database } from './database.ts';
import type { Statement } from './statement.ts';

/** Longer ones gain nothing more, and keep the first of them waiting for the last. */
const MOST = 64;

interface Asked {
  readonly app: string;
  readonly hash: Uint8Array;
  readonly asker: string | null;
  readonly resolve: (row: never) => void;
  readonly reject: (reason: unknown) => void;
}

export interface BatchStatements {
  /** By $1, $2 and $3: application, key, and the client that asks or null. */
  readonly one: Statement;
  /** By arrays of the same; rows begin with the number of the entry they belong to, from 1. */
  readonly many: Statement;
}

/**
 * Look-ups by application and key that are asked for in one turn of the event loop share one statement: a fifth of the work
 * for both sides (docs/decisions/postgres.md). One that is alone goes alone.
 */
export function batched<R extends unknown[]>(
  db: Database,
  statements: BatchStatements,
): (app: string, hash: Uint8Array, asker: string | null) => Promise<R | undefined> {
  let waiting: Asked[] = [];
  const flush = () => {
    const batch = waiting;
    waiting = [];
    for (let start = 0; start < batch.length; start += MOST) void ask(db, statements, batch.slice(start, start + MOST));
  };
  return (app, hash, asker) =>
    new Promise<R | undefined>((resolve, reject) => {
      if (waiting.push({ app, hash, asker, resolve, reject }) === 1) setImmediate(flush);
    });
}

async function ask(db: Database, { one, many }: BatchStatements, batch: readonly Asked[]): Promise<void> {
  try {
    const found = new Map<number, unknown[]>();
    const single = batch.length === 1 ? batch[0] : undefined;
    if (single) {
      const [row] = (await db.read(one, [single.app, single.hash, single.asker])) as unknown as unknown[][];
      if (row) found.set(1, row);
    } else {
      const values = [batch.map(({ app }) => app), batch.map(({ hash }) => hash), batch.map(({ asker }) => asker)];
      for (const [number, ...row] of (await db.read(many, values)) as unknown as [number, ...unknown[]][])
        found.set(number, row);
    }
    batch.forEach(({ resolve }, index) => {
      resolve(found.get(index + 1) as never);
    });
  } catch (error) {
    for (const { reject } of batch) reject(error);
  }
}

import type { Row } from '../../rows.ts';
import { type Lock, shareLocks } from './locks.ts';
import type { Step } from './pipelined-connection.ts';
import type { Statement, Value } from './statement.ts';

/** One statement of a commit, and the locks that it needs, shared, before it runs. */
export interface Write {
  readonly step: Step;
  readonly shared: readonly Lock[];
  /** What it locks (keyOf). */
  readonly key: string;
}

export interface Merged {
  readonly steps: readonly Step[];
  /** Turns the rows of each step into the rows of each write. */
  distribute(results: readonly Row[][]): Row[][];
}

/** Writes with the same statement, which can run many operations (manyStatement), no two of them with the same key. */
interface Batch {
  readonly statement: Statement;
  readonly members: number[];
  readonly keys: Set<string>;
}

/**
 * Merges writes of a commit that have the same statement into one: a third of the work for both sides
 * (docs/decisions/postgres.md). Two writes with the same key are never in the same statement: the second must see the result of
 * the first, and a statement sees the rows as they were when it began.
 */
export function merge(writes: readonly Write[]): Merged {
  const batches: Batch[] = [];
  const others: { readonly index: number; readonly step: Step }[] = [];
  writes.forEach(({ step, key }, index) => {
    if (step[0].many) addToBatch(batches, index, step[0], key);
    else others.push({ index, step });
  });
  // In the same order on every node: each statement locks rows, and two nodes must not deadlock.
  batches.sort((one, other) => one.statement.name.localeCompare(other.statement.name));
  const locks = shareLocks(writes.flatMap(({ shared }) => shared));
  const before = locks ? [locks] : [];
  return {
    steps: [
      ...before,
      ...batches.map(({ statement, members }): Step => [statement, columns(members, writes)]),
      ...others.map(({ step }) => step),
    ],
    distribute: results => {
      const rows: Row[][] = writes.map(() => []);
      const [ofBatches, ofOthers] = [before.length, before.length + batches.length];
      for (const [at, { members }] of batches.entries()) distributeBatch(members, results[ofBatches + at] ?? [], rows);
      for (const [at, { index }] of others.entries()) rows[index] = results[ofOthers + at] ?? [];
      return rows;
    },
  };
}

function addToBatch(batches: Batch[], index: number, statement: Statement, key: string): void {
  const batch = batches.find(({ statement: { name }, keys }) => name === statement.name && !keys.has(key));
  if (!batch) batches.push({ statement, members: [index], keys: new Set([key]) });
  else {
    batch.members.push(index);
    batch.keys.add(key);
  }
}

function columns(members: readonly number[], writes: readonly Write[]): Value[] {
  const rows = members.map(index => writes[index]?.step[1] ?? []);
  return (rows[0] ?? []).map((_, column) => rows.map(row => row[column] ?? null) as Value);
}

function distributeBatch(members: readonly number[], results: readonly Row[], rows: Row[][]): void {
  for (const row of results) rows[members[Number(row.n) - 1] ?? -1]?.push(row);
}

/** The first of the values that is a key: what a write locks. A character for each byte, so that texts compare as bytes do. */
export function keyOf([, values = []]: Step): string {
  const key = values.find(value => value instanceof Uint8Array);
  return key === undefined ? '' : Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('latin1');
}

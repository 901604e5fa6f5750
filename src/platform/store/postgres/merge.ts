import type { Row } from '../row.ts';
import { type Lock, shareLocks } from './locks.ts';
import type { PipelinedStatement } from './pipelined-connection.ts';
import type { Statement, Value } from './statement.ts';

/** One statement of a commit, and the locks that it needs, shared, before it runs. */
export interface Write {
  readonly step: PipelinedStatement;
  readonly shared: readonly Lock[];
  /** What it locks (keyOf). */
  readonly key: string;
}

export interface Merged {
  readonly steps: readonly PipelinedStatement[];
  /** Turns the rows of each step into the rows of each write. */
  distribute(results: readonly Row[][]): Row[][];
}

/** Writes that one statement can run (manyStatement), no two of them with the same key. */
interface Batch {
  readonly statement: Statement;
  readonly part: string;
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
  const others: { readonly index: number; readonly step: PipelinedStatement }[] = [];
  writes.forEach((write, index) => {
    if (write.step[0].many) addToBatch(batches, index, write);
    else others.push({ index, step: write.step });
  });
  // In the same order on every node: each statement locks rows, and two nodes must not deadlock.
  batches.sort((one, other) => one.statement.name.localeCompare(other.statement.name));
  const locks = shareLocks(writes.flatMap(({ shared }) => shared));
  const before = locks ? [locks] : [];
  const single = others.flatMap(({ index, step }) => [{ index, step }, ...followers(step)]);
  return {
    steps: [
      ...before,
      ...batches.map(({ statement, members }): PipelinedStatement => [statement, columns(statement, members, writes)]),
      ...single.map(({ step }) => step),
    ],
    distribute: results => {
      const rows: Row[][] = writes.map(() => []);
      const [ofBatches, ofOthers] = [before.length, before.length + batches.length];
      for (const [at, { members }] of batches.entries()) distributeBatch(members, results[ofBatches + at] ?? [], rows);
      for (const [at, { index }] of single.entries())
        if (index !== undefined) rows[index] = results[ofOthers + at] ?? [];
      return rows;
    },
  };
}

/** The step that follows this one (Statement.followedBy). Its rows are nobody's. */
function followers([{ followedBy }, values = []]: PipelinedStatement): {
  readonly index: undefined;
  readonly step: PipelinedStatement;
}[] {
  return followedBy ? [{ index: undefined, step: [followedBy.statement, values.slice(0, followedBy.values)] }] : [];
}

function addToBatch(batches: Batch[], index: number, { step, key }: Write): void {
  const [statement] = step;
  const part = partOfStep(step);
  const batch = batches.find(one => one.statement.name === statement.name && one.part === part && !one.keys.has(key));
  if (!batch) batches.push({ statement, part, members: [index], keys: new Set([key]) });
  else {
    batch.members.push(index);
    batch.keys.add(key);
  }
}

/** The part that a statement is for, which is its first value; '' where the statement runs operations of any. */
function partOfStep([{ many }, values]: PipelinedStatement): string {
  return many === 'of one part' ? String(values?.[0]) : '';
}

function columns({ many }: Statement, members: readonly number[], writes: readonly Write[]): Value[] {
  const rows = members.map(index => writes[index]?.step[1] ?? []);
  return (rows[0] ?? []).map((value, column) =>
    column === 0 && many === 'of one part' ? value : (rows.map(row => row[column] ?? null) as Value),
  );
}

/**
 * The transactions in which the writes of one group are sent to a Citus cluster. A transaction on several workers would need two
 * phases, so writes share one only if they call the same function for the same application or part, with different keys: merge() makes
 * one call of them. A write with advisory locks has a transaction of its own.
 */
export function byWorker<W extends Write>(writes: readonly W[]): W[][] {
  const groups = new Map<string, W[]>();
  writes.forEach((write, index) => {
    const { step, shared, key } = write;
    const isAlone = step[0].many !== 'of one part' || shared.length > 0;
    let name = isAlone ? String(index) : `${step[0].name} ${partOfStep(step)}`;
    while (groups.get(name)?.some(other => other.key === key)) name += ' again';
    groups.set(name, [...(groups.get(name) ?? []), write]);
  });
  return [...groups.values()];
}

function distributeBatch(members: readonly number[], results: readonly Row[], rows: Row[][]): void {
  for (const row of results) rows[members[Number(row.n) - 1] ?? -1]?.push(row);
}

/** The first of the values that is a key: what a write locks. A character for each byte, so that texts compare as bytes do. */
export function keyOf([, values = []]: PipelinedStatement): string {
  const key = values.find(value => value instanceof Uint8Array);
  return key === undefined ? '' : Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('latin1');
}

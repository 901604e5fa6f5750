import type { Row } from '../rows.ts';
import type { Step } from './lane.ts';
import type { Statement, Value } from './statement.ts';

type Steps = readonly Step[];

export interface Merged {
  readonly steps: readonly Step[];
  /** From the rows of each of the steps to those of each step of each operation. */
  deal(results: readonly Row[][]): Row[][][];
}

/** Operations whose one statement is the same and can do many (statement.ts), no two of them with the same key. */
interface Wave {
  readonly statement: Statement;
  readonly members: number[];
  readonly keys: Set<string>;
}

/**
 * The operations of a commit, with those that are alike in one statement: a third of the work for both sides
 * (docs/decisions/postgres.md). A statement sees the rows as they were when it began, so that two operations on the same
 * key are never in the same one: the second has to see what the first did.
 */
export function merge(operations: readonly Steps[]): Merged {
  const waves: Wave[] = [];
  const others: number[] = [];
  operations.forEach((steps, index) => {
    const [only] = steps;
    if (steps.length === 1 && only?.[0].many) join(waves, index, only);
    else others.push(index);
  });
  // In the same order on every node: each locks rows, and two nodes must not wait for each other.
  waves.sort((one, other) => one.statement.name.localeCompare(other.statement.name));
  const merged = waves.map(({ statement, members }): Step => [statement, columns(members, operations)]);
  return {
    steps: [...merged, ...others.flatMap(index => operations[index] ?? [])],
    deal: results => {
      const dealt: Row[][][] = operations.map(() => []);
      for (const [wave, { members }] of waves.entries()) dealWave(members, results[wave] ?? [], dealt);
      let at = waves.length;
      for (const index of others) {
        const end = at + (operations[index]?.length ?? 0);
        dealt[index] = results.slice(at, end);
        at = end;
      }
      return dealt;
    },
  };
}

function join(waves: Wave[], index: number, [statement, values = []]: Step): void {
  const key = Buffer.from(firstKey(values)).toString('latin1');
  const wave = waves.find(({ statement: { name }, keys }) => name === statement.name && !keys.has(key));
  if (!wave) waves.push({ statement, members: [index], keys: new Set([key]) });
  else {
    wave.members.push(index);
    wave.keys.add(key);
  }
}

function columns(members: readonly number[], operations: readonly Steps[]): Value[] {
  const rows = members.map(index => operations[index]?.[0]?.[1] ?? []);
  return (rows[0] ?? []).map((_, column) => rows.map(row => row[column] ?? null) as Value);
}

function dealWave(members: readonly number[], rows: readonly Row[], dealt: Row[][][]): void {
  for (const index of members) dealt[index] = [[]];
  for (const row of rows) dealt[members[Number(row.n) - 1] ?? -1]?.[0]?.push(row);
}

const NO_KEY = Buffer.alloc(0);

/** The first of the values that is a key: what an operation locks. */
export function firstKey(values: readonly Value[] | undefined): Uint8Array {
  return values?.find(value => value instanceof Uint8Array) ?? NO_KEY;
}

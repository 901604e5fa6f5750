import { hash } from 'node:crypto';
import type { Row } from '../../rows.ts';

/** A statement that is parsed once in a connection and known by its name from then on. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly rowMode?: 'array';
  /** It does any number of operations at once: merge.ts. */
  readonly many?: true;
}

export type Single = string | number | boolean | Uint8Array | null;
export type Value = Single | readonly Single[];

/** Runs one statement; in a transaction, or on its own. */
export type Run = (statement: Statement, values?: readonly Value[]) => Promise<Row[]>;

/**
 * Columns are named, never `*`: a statement whose result changed with a column that a later release added is refused from
 * then on, on every connection that knows it.
 *
 * Named after its text, so that another release in the same pooled connection can never mean something else by it.
 */
export function statement(text: string): Statement {
  return { name: `gatehouse-${hash('sha256', text, 'hex').slice(0, 16)}`, text };
}

/** Rows as arrays, for the look-ups that are asked most: objects cost twice as much. */
export function arrayStatement(text: string): Statement {
  return { ...statement(text), rowMode: 'array' };
}

/**
 * Every parameter is an array that holds the value of each operation, and every row of the result has `n`, the number of the
 * operation it belongs to, from 1. Who asks for it gives the values of one operation, and gets its rows.
 */
export function manyStatement(text: string): Statement {
  return { ...statement(text), many: true };
}

/**
 * At the end of a subquery: it is run as it stands, with the keys that the row before it gave. Without it the planner makes a
 * join of it, and of a table that was small when it was last counted, or never was, it prefers to read all: until it counts
 * again, every look-up walks over what has come since.
 */
export const BY_KEY = 'OFFSET 0';

/** For a join with one row, which is found by its key whatever the statistics say. In it, `*` changes no result. */
export function lookedUp(select: string): string {
  return `LATERAL (${select} ${BY_KEY})`;
}

import { hash } from 'node:crypto';
import type { Row } from '../row.ts';

/** A prepared statement: parsed once for each connection and called by its name from then on. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly rowMode?: 'array';
  /**
   * It runs any number of operations at once (merge.ts): of all applications and parts, or of the one that is its first value
   * (platform/store/application-parts.ts).
   */
  readonly many?: 'of any part' | 'of one part';
  /**
   * A write only: runs after it in the same transaction, with the first of its values. A statement sees the rows as they were when it
   * began; the second sees what others committed while the first waited for a row of theirs.
   */
  readonly followedBy?: { readonly statement: Statement; readonly values: number };
  /** What runs in its place where the database is a Citus cluster (citus/). */
  readonly onCitus?: Statement;
}

/** Name and type, in their order: the values of an operation, or the columns of its rows. */
export type Columns = Readonly<Record<string, string>>;

export type Single = string | number | boolean | Uint8Array | null;
export type Value = Single | readonly Single[];

/** Runs one statement; in a transaction, or on its own. */
export type Run = (statement: Statement, values?: readonly Value[]) => Promise<Row[]>;

/**
 * The text lists its columns, never `*`: if a later release adds a column, the result changes, and PostgreSQL rejects the prepared
 * statement on every connection that has it.
 *
 * The name is a hash of the text, so that two releases on the same pooled connection never use one name for different texts.
 */
export function statement(text: string): Statement {
  return { name: `gatehouse-${hash('sha256', text, 'hex').slice(0, 16)}`, text };
}

/** Returns rows as arrays, for the most frequent lookups: objects cost twice as much. */
export function arrayStatement(text: string): Statement {
  return { ...statement(text), rowMode: 'array' };
}

/**
 * Every parameter is an array that holds the value of each operation, and every row of the result has `n`, the number of the
 * operation it belongs to, from 1. The caller passes the values of one operation and gets its rows; merge.ts does the rest.
 */
export function manyStatement(text: string): Statement {
  return { ...statement(text), many: 'of any part' };
}

/** The operations of such a statement as rows `r`. `columns`: the values of one, in their order, after the application. */
export function requestRows(columns: Columns): string {
  const all: Columns = { app: 'text', ...columns };
  const arrays = Object.values(all).map((type, index) => `$${index + 1}::${type}[]`);
  return `SELECT * FROM unnest(${arrays.join(', ')}) WITH ORDINALITY AS r (${Object.keys(all).join(', ')}, n)`;
}

export function withCitusForm(plain: Statement, { statement }: { readonly statement: Statement }): Statement {
  return { ...plain, onCitus: statement };
}

/**
 * At the end of a subquery: the planner runs the subquery as it is, with the keys of the outer row. Otherwise it turns it into a
 * join, and scans a table that was small at the last ANALYZE, or was never analyzed: until the next ANALYZE every lookup reads all
 * rows that were added since.
 */
export const BY_KEY = 'OFFSET 0';

/** A join with one row, found by its key whatever the statistics say. `*` is allowed inside: it changes no result. */
export function lookedUp(select: string): string {
  return `LATERAL (${select} ${BY_KEY})`;
}

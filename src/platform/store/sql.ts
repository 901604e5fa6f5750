import { applicationOfPart } from './application-parts.ts';

/**
 * SQL that is written once for both stores. Values become parameters; functions stand for what the two databases write differently:
 *
 *     sql`SELECT code FROM applications ORDER BY code ${BYTEWISE}`
 *     sql`DELETE FROM signing_keys WHERE app = ${app} AND kid ${among(kids)}`
 *
 * For the operations of operators, jobs and account pages. The operations of frequent requests are written by hand for each store
 * (docs/decisions/cold-operations.md).
 */
export type SqlValue = string | number | boolean | Uint8Array | null;
/** A parameter of a statement; a list of texts is one parameter. */
export type Parameter = SqlValue | readonly string[];

export interface Query {
  readonly kind: 'query';
  readonly strings: readonly string[];
  readonly inserts: readonly Insert[];
}

type Insert = SqlValue | PerStore | TextList | Query;

export interface PerStore {
  readonly kind: 'perStore';
  readonly sqlite: string;
  readonly postgres: string;
  readonly citus: string;
}

interface TextList {
  readonly kind: 'among' | 'table';
  readonly values: readonly string[];
}

export function sql(strings: TemplateStringsArray, ...inserts: readonly Insert[]): Query {
  return { kind: 'query', strings, inserts };
}

/** A piece of SQL that differs between the databases. */
export function perStore(sqlite: string, postgres: string, citus = postgres): PerStore {
  return { kind: 'perStore', sqlite, postgres, citus };
}

/** After a column: its value is one of these. */
export function among(values: readonly string[]): TextList {
  return { kind: 'among', values };
}

/** A table of these texts: `listed`, with the column `value`. */
export function listed(values: readonly string[]): TextList {
  return { kind: 'table', values };
}

/**
 * The application of a row of a token, code, grant, exchange or client of a session: on a Citus cluster their column has a part of it
 * (application-parts.ts).
 */
export function applicationIn(table: string): PerStore {
  const column = `${table}.app`;
  return perStore(column, column, applicationOfPart(column));
}
export const APPLICATION = perStore('app', 'app', applicationOfPart('app'));

/** After a column in ORDER BY: text is compared byte by byte, whatever the collation of the database. */
export const BYTEWISE = perStore('', 'COLLATE "C"');

/** Locks the rows of a SELECT until the transaction ends. SQLite has one writer at a time anyway. */
export const FOR_UPDATE = perStore('', 'FOR NO KEY UPDATE');

/** Keeps the rows of a SELECT from being deleted until the transaction ends; they can be changed meanwhile. */
export const FOR_KEY_SHARE = perStore('', 'FOR KEY SHARE');

/**
 * Rows of a SELECT that another transaction takes at the same moment are not waited for, and not returned. With LIMIT it stands in a WITH …
 * AS MATERIALIZED: PostgreSQL may otherwise plan to run it for each row of the table, and it gives others each time.
 */
export const SKIP_LOCKED = perStore('', 'FOR UPDATE SKIP LOCKED');

/**
 * In a SELECT: waits for the transaction that holds the advisory lock of this number, and holds it until the end of this one. SQLite has
 * one writer at a time anyway.
 */
export function advisoryLock(number: number): PerStore {
  return perStore('1', `pg_advisory_xact_lock(${number}) IS NULL`);
}

/** How one database writes what the two write differently. */
export interface Dialect {
  readonly store: 'sqlite' | 'postgres' | 'citus';
  /** The placeholder of a parameter by its number, from 1. */
  placeholder(number: number): string;
  readonly among: (placeholder: string) => string;
  readonly table: (placeholder: string) => string;
}

export interface Rendered {
  readonly text: string;
  readonly values: readonly Parameter[];
}

export function render(query: Query, dialect: Dialect): Rendered {
  const values: Parameter[] = [];
  const parameter = (value: Parameter) => dialect.placeholder(values.push(value));
  const insert = (part: Insert): string => {
    if (part === null || typeof part !== 'object' || part instanceof Uint8Array) return parameter(part);
    if (part.kind === 'query') return text(part);
    if (part.kind === 'perStore') return part[dialect.store];
    return dialect[part.kind](parameter(part.values));
  };
  const text = ({ strings, inserts }: Query): string =>
    strings.map((string, index) => (index === 0 ? string : insert(inserts[index - 1] as Insert) + string)).join('');
  return { text: text(query), values };
}

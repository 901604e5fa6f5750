import type { Row } from '../rows.ts';
import type { Query } from './sql.ts';

/**
 * A transaction as a list of steps: a generator that yields queries and is given their rows. SQLite runs the steps one after the
 * other inside a group commit, PostgreSQL waits for each answer; the steps are the same.
 */
export type Steps<T> = Generator<Step, T, readonly Row[][]>;

/** Queries that need not wait for each other's answers, or work that only one store knows. */
export type Step = readonly Query[] | { readonly native: (run: never) => Promise<unknown> };

export function* rowsOf(query: Query): Steps<readonly Row[]> {
  const [rows = []] = yield [query];
  return rows;
}

/** How many queries are sent before their answers are waited for, and how many keys one query asks about. */
const AT_ONCE = 500;

/** The rows of each query. */
export function* runAll(queries: readonly Query[]): Steps<readonly Row[][]> {
  const rows: Row[][] = [];
  for (const some of chunks(queries)) rows.push(...(yield some));
  return rows;
}

/** The rows of all keys, some at a time. */
export function* rowsOfEach(keys: readonly string[], query: (some: readonly string[]) => Query): Steps<readonly Row[]> {
  const rows: Row[] = [];
  for (const some of chunks(keys)) rows.push(...(yield* rowsOf(query(some))));
  return rows;
}

function* chunks<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < all.length; start += AT_ONCE) yield all.slice(start, start + AT_ONCE);
}

/** What a store runs for the operations of this folder. `receivedAt`: see store.ts. */
export interface ColdDatabase {
  read(query: Query, receivedAt?: number): Promise<readonly Row[]>;
  write(query: Query, receivedAt?: number): Promise<readonly Row[]>;
  /** All or nothing; the steps may be made and run again after a conflict. */
  transaction<T>(steps: () => Steps<T>, receivedAt?: number): Promise<T>;
  /** For operators: takes as long as it needs. */
  longTransaction<T>(steps: () => Steps<T>): Promise<T>;
  readonly own: OwnSteps;
}

/** Steps that each store writes for itself. In a transaction, locks come before everything else. */
export interface OwnSteps {
  /** No other change to applications, clients and keys until the end of the transaction. */
  lockRegistry(): Steps<void>;
  /** Every process reads applications, clients and keys again. */
  registryChanged(): Steps<void>;
  /** Nothing is given to these users, or to this client, until the end of the transaction. */
  lockUsers(subs: readonly string[]): Steps<void>;
  lockClient(app: string, clientId: string): Steps<void>;
  /** As `endUserAccess` of the store. */
  endUserAccess(sub: string, now: number): Steps<void>;
  /** Ends the grants and codes of the client. */
  endClientAccess(app: string, clientId: string, now: number): Steps<void>;
}

import type { StoredApp } from './application-parts.ts';
import { RolledBack } from './faults.ts';
import type { Row } from './row.ts';
import type { Query, SqlValue } from './sql.ts';

/**
 * A transaction as a generator that yields queries and receives their rows, the same for both stores. SQLite runs the steps one
 * after the other inside a group commit; PostgreSQL waits for each answer.
 */
export type Steps<T> = Generator<TransactionStep, T, readonly Row[][]>;

/** Queries that do not depend on each other's answers, or work that is specific to one store. */
export type TransactionStep = readonly Query[] | { readonly native: (run: never) => Promise<unknown> };

export function* rowsOf(query: Query): Steps<readonly Row[]> {
  const [rows = []] = yield [query];
  return rows;
}

/** How many queries are sent before waiting for their answers, and how many keys one query contains. */
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

/** What a store runs for the operations of this folder. Its timeout: request-time.ts. */
export interface ColdDatabase {
  read(query: Query): Promise<readonly Row[]>;
  write(query: Query): Promise<readonly Row[]>;
  /** Atomic. After a conflict, `steps` is called again and its steps are run again. */
  transaction<T>(steps: () => Steps<T>): Promise<T>;
  /** For operators' commands: without a timeout. */
  longTransaction<T>(steps: () => Steps<T>): Promise<T>;
  /**
   * A long transaction that deletes for good. Where the files of the database would still hold what it deleted, that is overwritten
   * and, if there was something, removed from the log of the database too.
   */
  erasingTransaction<T extends { readonly length: number }>(steps: () => Steps<T>): Promise<T>;
  /**
   * After the transaction that deleted users: deletes the codes and access tokens of these, which have no index by user, in batches,
   * and what the files of the database still hold of deleted rows where that can be removed.
   */
  eraseUsers(heldTokens: readonly string[]): Promise<void>;
  readonly own: OwnSteps;
}

/** Where rows are added in bulk. */
export interface BulkTable {
  readonly name: string;
  readonly columns: Readonly<Record<string, 'text' | 'bigint' | 'boolean'>>;
}

/** In the order of the columns. */
export type BulkRow = readonly SqlValue[];

/** Rolls back the transaction: a row with one of the keys was there already, or another transaction has added one meanwhile. */
export class KeyTaken extends RolledBack {
  constructor(table: string) {
    super(`a key exists already in ${table}`);
  }
}

/** Steps that each store writes for itself. In a transaction, locks come before everything else. */
export interface OwnSteps {
  /** No other change to applications, clients and keys until the end of the transaction. */
  lockRegistry(): Steps<void>;
  /** Every process reads applications, clients and keys again. */
  registryChanged(): Steps<void>;
  /** No other transaction issues anything to these users, or to this client, until the end of this one. */
  lockUsers(subs: readonly string[]): Steps<void>;
  lockClient(app: string, clientId: string): Steps<void>;
  /** As `endUserAccess` of the store. */
  endUserAccess(sub: string, now: number): Steps<void>;
  /** As `endSession` of the store. The transaction holds the lock of the user. */
  endSession(sub: string, sid: string, now: number): Steps<void>;
  /** Every session of the user but this one, as `endSession`. The transaction holds the lock of the user. Returns which ended. */
  endOtherSessions(sub: string, keptSid: string, now: number): Steps<readonly string[]>;
  /** As `withdrawConsent` of the store. The transaction holds the lock of the user. */
  withdrawConsent(sub: string, app: string, clientId: string, now: number): Steps<void>;
  /** False: it was revoked before, or does not exist. */
  revokeGrant(app: StoredApp, grantId: string, now: number): Steps<boolean>;
  /** Deletes the rows that are found by the user's key. What the user holds has been ended. */
  deleteUser(sub: string): Steps<void>;
  /** Whether a user that is written with a password gets its credential by a trigger. */
  readonly hasPasswordTriggers: boolean;
  /** Adds many rows with one statement, or with one that is prepared once. Throws `KeyTaken`. */
  insertRows(table: BulkTable, rows: readonly BulkRow[]): Steps<void>;
  /** Ends the grants and codes of the client. */
  endClientAccess(app: string, clientId: string, now: number): Steps<void>;
}

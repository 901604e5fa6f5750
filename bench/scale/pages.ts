/** Which pages an operation needs, how many of them are in memory, and how many are written whole to the WAL. */
import { type Operation, operations, type Rates } from './assumptions.ts';
import { type BytesPerRow, HEAP, PAGE_BYTES, type RowCounts, type Table } from './rows.ts';

/**
 * A page that can be any of its heap or index. What is left out is in memory as good as always: the upper levels of an index, the
 * end of a table where new rows go, the tables of applications and clients.
 */
interface Touch {
  readonly table: Table;
  readonly part: string;
  readonly written?: true;
}

const read = (table: Table, ...parts: string[]): Touch[] => parts.map(part => ({ table, part }));
const write = (table: Table, ...parts: string[]): Touch[] =>
  read(table, ...parts).map(one => ({ ...one, written: true }));

/**
 * Token families are found by their id, by user and by session. The ids are random, as in recorded.json and in fill.ts: both are older
 * than `newGrantId`, whose ids begin with the time, so that new families share pages of `grants_pkey`.
 */
const NEW_FAMILY = write('grants', 'grants_pkey', 'grants_by_user');
const NEW_FAMILY_IN_SESSION = [
  ...NEW_FAMILY,
  ...write('grants', 'grants_by_session'),
  ...read('session_clients', 'session_clients_pkey'),
];
const touches: Readonly<Record<Operation, readonly Touch[]>> = {
  introspection: read('access_tokens', HEAP, 'access_tokens_pkey'),
  userinfo: [...read('access_tokens', HEAP, 'access_tokens_pkey'), ...read('users', HEAP, 'users_pkey')],
  refresh: [
    // The new version of the presented token does not fit into its page, so its index gets an entry too.
    ...write('refresh_tokens', HEAP, 'refresh_tokens_pkey'),
    ...read('grants', HEAP, 'grants_pkey'),
  ],
  code: [
    ...read('codes', 'codes_pkey'),
    ...write('codes', HEAP),
    ...read('users', HEAP, 'users_pkey'),
    ...NEW_FAMILY_IN_SESSION,
  ],
  authorization: [
    ...read('sessions', HEAP, 'sessions_pkey'),
    ...read('users', HEAP, 'users_pkey'),
    ...write('codes', 'codes_by_user'),
  ],
  password: [
    ...read('login_names', HEAP, 'login_names_pkey'),
    ...read('credentials', HEAP, 'credentials_pkey'),
    ...read('users', HEAP, 'users_pkey'),
    ...NEW_FAMILY,
    ...write('events', 'events_by_subject', 'events_by_request'),
  ],
};

/** Pages anywhere in a table or index that an operation changes. */
export function writesOf(operation: Operation): number {
  return touches[operation].filter(isWritten).length;
}

export interface Size {
  readonly rows: RowCounts;
  readonly each: BytesPerRow;
}

function pagesOf({ rows, each }: Size, { table, part }: Touch): number {
  return Math.max(1, (rows[table] * (each[table][part] ?? 0)) / PAGE_BYTES);
}

interface Reference {
  readonly pages: number;
  /** A second. */
  rate: number;
}

function references(size: Size, rates: Rates, counts: (touch: Touch) => boolean = () => true): Map<string, Reference> {
  const all = new Map<string, Reference>();
  for (const operation of operations) {
    for (const touch of touches[operation].filter(counts)) {
      const name = nameOf(touch);
      const reference = all.get(name) ?? { pages: pagesOf(size, touch), rate: 0 };
      reference.rate += rates[operation];
      all.set(name, reference);
    }
  }
  return all;
}

function nameOf({ table, part }: Touch): string {
  return `${table} ${part}`;
}

/** The share of the pages of a reference that was used within so many seconds. */
function usedWithin({ pages, rate }: Reference, seconds: number): number {
  return 1 - Math.exp((-rate * seconds) / pages);
}

/**
 * Reads of each operation that miss a cache of so many pages: Che's approximation of a least-recently-used cache. There is a time
 * after which an unused page is evicted; it is the one for which the pages used within it fill the cache.
 */
export function missesFor(size: Size, rates: Rates, cachePages: number): Record<Operation, number> {
  const all = references(size, rates);
  const filled = (seconds: number) =>
    [...all.values()].reduce((sum, one) => sum + one.pages * usedWithin(one, seconds), 0);
  const seconds = solve(filled, cachePages);
  const missed = (touch: Touch) => 1 - usedWithin(all.get(nameOf(touch)) as Reference, seconds);
  return each(operation => touches[operation].reduce((sum, touch) => sum + missed(touch), 0));
}

const LONGEST_SECONDS = 1e9;

/** Where a function that grows reaches the value; the longest time if it never does. */
function solve(of: (seconds: number) => number, value: number): number {
  let [low, high] = [0, LONGEST_SECONDS];
  if (of(high) <= value) return high;
  for (let step = 0; step < 100; step++) {
    const middle = (low + high) / 2;
    if (of(middle) < value) low = middle;
    else high = middle;
  }
  return high;
}

/**
 * Whole pages that an operation writes to the WAL (full_page_writes): each page once after a checkpoint, when it is first changed.
 * The longer the interval and the smaller the table, the fewer for each operation.
 */
export function pageImagesFor(size: Size, rates: Rates, checkpointSeconds: number): Record<Operation, number> {
  const all = references(size, rates, isWritten);
  return each(operation =>
    touches[operation].filter(isWritten).reduce((sum, touch) => {
      const reference = all.get(nameOf(touch)) as Reference;
      const changes = reference.rate * checkpointSeconds;
      return sum + (changes > 0 ? (reference.pages * usedWithin(reference, checkpointSeconds)) / changes : 1);
    }, 0),
  );
}

function isWritten({ written }: Touch): boolean {
  return written === true;
}

function each(value: (operation: Operation) => number): Record<Operation, number> {
  return Object.fromEntries(operations.map(name => [name, value(name)])) as Record<Operation, number>;
}

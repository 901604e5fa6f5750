/** How many rows the tables have after a long time with so many users: the same for the fill, for the prediction and for the plan. */
import { type Behaviour, eventsOfDay } from './assumptions.ts';

export const tables = [
  'users',
  'login_names',
  'credentials',
  'consents',
  'sessions',
  'session_clients',
  'grants',
  'refresh_tokens',
  'access_tokens',
  'codes',
  'events',
] as const;
export type Table = (typeof tables)[number];
export type RowCounts = Readonly<Record<Table, number>>;

/** Rows are dropped with their partition: half its width later than they expire, on average (platform/store/postgres/partitions.ts of the store). */
const HALF_WEEK_DAYS = 3.5;
const HALF_DAY_DAYS = 0.5;
const ACCESS_TOKEN_DAYS = 1 / 24;
/** Codes are kept for a day to recognise a replay, grants for a day and the slack of a day (platform/store/retention.ts of the store). */
const CODE_DAYS = 1;
const GRANT_SLACK_DAYS = 2;
/** User name, e-mail address, telephone number. */
const NAMES_PER_USER = 3;

export function rowsFor(users: number, b: Behaviour): RowCounts {
  const active = users * b.daily;
  const families = active * b.authorizations;
  const rotations = active * b.refreshes;
  const sessions = active * b.logins * (b.tokenDays + HALF_WEEK_DAYS);
  const counts = {
    users,
    login_names: users * NAMES_PER_USER,
    credentials: users,
    consents: users * b.consents,
    sessions,
    session_clients: sessions,
    grants: families * (b.tokenDays + GRANT_SLACK_DAYS),
    refresh_tokens: (families + rotations) * (b.tokenDays + HALF_WEEK_DAYS),
    access_tokens: (families + rotations) * (ACCESS_TOKEN_DAYS + HALF_DAY_DAYS),
    codes: families * (CODE_DAYS + HALF_DAY_DAYS),
    events: active * eventsOfDay(b) * b.eventDays,
  };
  return mapTables(counts, Math.round);
}

/** Pages of PostgreSQL. */
export const PAGE_BYTES = 8192;

/** What a table takes on disk for each row: the heap and each index by its name. */
export type BytesPerRow = Readonly<Record<Table, Readonly<Record<string, number>>>>;
export const HEAP = 'heap';

export function bytesOf(rows: RowCounts, each: BytesPerRow): Readonly<Record<Table, number>> {
  const size = (table: Table) => rows[table] * Object.values(each[table]).reduce((sum, bytes) => sum + bytes, 0);
  return mapTables(rows, (_, table) => size(table));
}

export function sumOf(sizes: Readonly<Record<Table, number>>, of: readonly Table[] = tables): number {
  return of.reduce((sum, table) => sum + sizes[table], 0);
}

export function mapTables(
  values: Readonly<Record<Table, number>>,
  change: (value: number, table: Table) => number,
): Record<Table, number> {
  return Object.fromEntries(tables.map(table => [table, change(values[table], table)])) as Record<Table, number>;
}

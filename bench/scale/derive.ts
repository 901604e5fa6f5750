/** From measured points to what the simulation needs. */
import { median } from '../measure.ts';
import { type Operation, operations } from './assumptions.ts';
import { type Size, writesOf } from './pages.ts';
import type { CitusPoint, Logout, Point, Recorded, ReferenceWrite, SizePoint } from './recorded.ts';
import { type BytesPerRow, type Table, tables } from './rows.ts';
import type { Costs } from './server-process.ts';

/** The size whose figures the model takes: the others are predicted from it. */
export function calibration({ sizes }: Recorded): SizePoint {
  const middle = sizes[Math.floor(sizes.length / 2)];
  if (!middle) throw new Error('nothing has been measured');
  return middle;
}

export function sizeOf({ rows, sizes }: SizePoint): Size {
  return { rows, each: bytesPerRow({ rows, sizes }) };
}

export function bytesPerRow({ rows, sizes }: Pick<SizePoint, 'rows' | 'sizes'>): BytesPerRow {
  const each = (table: Table) =>
    Object.fromEntries(Object.entries(sizes[table]).map(([part, bytes]) => [part, bytes / rows[table]]));
  return Object.fromEntries(tables.map(table => [table, each(table)])) as unknown as BytesPerRow;
}

const READS: readonly Operation[] = ['introspection', 'userinfo'];
const MIN_US = 1;
/** Logins share nothing; what their transactions differ by is chance. */
const MIN_SHARED = 0.3;

/** Without pages that are missing and whole pages in the WAL, which depend on the size. */
export function costsOf(recorded: Recorded): Record<Operation, Costs> {
  const { points } = calibration(recorded);
  // A login without its hash issues tokens as a code exchange does. The processor's speed changes from minute to minute, so a hash
  // that is measured elsewhere cannot be subtracted.
  const [, exchange] = ends(points.code);
  const [, login] = ends(points.password);
  const hashUs = Math.max(MIN_US, login.nodeUs - exchange.nodeUs);
  const cost = (name: Operation) => costs(name, points[name], name === 'password' ? hashUs : undefined);
  return Object.fromEntries(operations.map(name => [name, cost(name)])) as Record<Operation, Costs>;
}

function costs(operation: Operation, points: readonly Point[], hashUs: number | undefined): Costs {
  const [alone, crowded] = ends(points);
  const hash = hashUs ?? 0;
  // The process is woken by the request and by the answer of the database, if nothing else keeps it awake.
  const node = Math.max(MIN_US, crowded.nodeUs - hash);
  const wake = Math.max(0, (alone.nodeUs - hash - node) / 2);
  return {
    kind: READS.includes(operation) ? 'read' : 'write',
    node,
    wake,
    ...databaseCosts(alone, crowded),
    misses: 0,
    bytes: walOf(points),
    ...(hashUs !== undefined && { hash: hashUs }),
  };
}

/**
 * Under load the operations share statements, so there are fewer transactions. What each of those saves is the cost of a statement,
 * the rest that of an operation.
 */
function databaseCosts(alone: Point, crowded: Point): Pick<Costs, 'statement' | 'row' | 'trips'> {
  const fewer = alone.transactions - crowded.transactions;
  const saved = Math.max(0, alone.databaseUs - crowded.databaseUs);
  const statement = fewer > MIN_SHARED ? Math.min(alone.databaseUs - MIN_US, saved / fewer) : 0;
  return { statement, row: alone.databaseUs - statement, trips: Math.max(1, Math.round(alone.transactions)) };
}

/**
 * On Citus only operations of one application share a call. What a call costs is seen from a crowd of one application, which needs few
 * calls, against requests alone and a crowd of most applications, which have calls of their own.
 */
export function citusCostsOf(recorded: Recorded): Record<Operation, Costs> {
  const { citus } = recorded;
  if (!citus) throw new Error('no cluster has been measured');
  const base = costsOf(recorded);
  const cost = (name: Operation): Costs => {
    const points = citus.points[name];
    const trips = tripsOf(points);
    const coordinator = callCosts(points, trips, 'coordinatorUs');
    return { ...base[name], ...callCosts(points, trips, 'workerUs'), coordinator, trips };
  };
  return Object.fromEntries(operations.map(name => [name, cost(name)])) as Record<Operation, Costs>;
}

function callCosts(points: readonly CitusPoint[], trips: number, of: 'coordinatorUs' | 'workerUs') {
  const crowds = points.filter(({ connections }) => connections > 1);
  const [few, many] = [crowds[0], crowds.at(-1)];
  if (!few || !many) throw new Error('an operation has not been measured on Citus');
  const apart = points.filter(point => point.connections === 1 || (point === many && many !== few));
  const us = median(apart.map(point => point[of]));
  const fewer = trips - few.calls;
  const statement = fewer > MIN_SHARED ? Math.min(us - MIN_US, Math.max(0, us - few[of]) / fewer) : 0;
  return { statement, row: us - statement };
}

/** Transactions one after the other of a request alone. */
function tripsOf(points: readonly CitusPoint[]): number {
  const alone = points.filter(({ connections }) => connections === 1).map(({ calls }) => calls);
  return Math.max(1, Math.round(median(alone)));
}

/** By the fewest and the most workers that were measured: each one more is the same work once more for the coordinator. */
export function referenceWriteCosts(
  { citus }: Recorded,
  workers: number,
): Omit<ReferenceWrite, 'measured' | 'workers'> {
  const [few, many] = [citus?.referenceWrites[0], citus?.referenceWrites.at(-1)];
  if (!few || !many) throw new Error('reference tables have not been measured on Citus');
  const at = (of: 'p50' | 'coordinatorUs') =>
    few[of] + ((many[of] - few[of]) / Math.max(1, many.workers - few.workers)) * (workers - few.workers);
  return { p50: at('p50'), coordinatorUs: at('coordinatorUs'), workerUs: many.workerUs };
}

/** With the shards of the measurement, on however many workers: a logout goes to all of them, one after the other on each worker. */
export function logoutCosts({ citus }: Recorded): Logout {
  if (!citus?.logout) throw new Error('logouts have not been measured on Citus');
  return citus.logout;
}

function ends(points: readonly Point[]): readonly [Point, Point] {
  const [alone, crowded] = [points[0], points.at(-1)];
  if (!alone || !crowded) throw new Error('an operation has not been measured');
  return [alone, crowded];
}

/**
 * A page in the WAL, without the free space in its middle. Chosen so that what is left of a measured refresh is the same at all sizes (2.1 to
 * 2.6 kB), after its page images are corrected by its rows: a refresh writes three, and the counters come late.
 */
export const PAGE_IMAGE_BYTES = 7000;

/** Bytes of an operation besides the pages that it wrote whole. */
export function walOf(points: readonly Point[]): number {
  return Math.max(0, median(points.map(({ walBytes, pageImages }) => walBytes - pageImages * PAGE_IMAGE_BYTES)));
}

export function walFor(recorded: Recorded, operation: Operation): number {
  return writesOf(operation) === 0 ? 0 : walOf(calibration(recorded).points[operation]);
}

/** So that their mean is 1. */
export function normalized(values: readonly number[]): number[] {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.map(value => value / mean);
}

const KEPT = 0.9;

/** How processor time varies. On a shared machine the longest tenth of the latencies is the work of other programs. */
export function spreadOf({ spread }: Recorded): number[] {
  return normalized(spread.slice(0, Math.ceil(spread.length * KEPT)));
}

/** From measured points to what the simulation needs. */
import { median } from '../measure.ts';
import { type Operation, operations } from './assumptions.ts';
import { type Size, writesOf } from './pages.ts';
import type { Point, Recorded, SizePoint } from './recorded.ts';
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

/** Without pages that are missing and whole pages in the WAL, which depend on the size. */
export function costsOf(recorded: Recorded, point = calibration(recorded)): Record<Operation, Costs> {
  const hashUs = recorded.hashUs;
  return Object.fromEntries(operations.map(name => [name, costs(name, point.points[name], hashUs)])) as Record<
    Operation,
    Costs
  >;
}

function costs(operation: Operation, points: readonly Point[], hashUs: number): Costs {
  const [alone, crowded] = ends(points);
  const isLogin = operation === 'password';
  const hash = isLogin ? hashUs : 0;
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
    ...(isLogin && { hash: hashUs }),
  };
}

/**
 * Under load the operations share statements, so many as there are fewer transactions. What a shared statement saves is the cost of
 * a statement, the rest that of an operation.
 */
function databaseCosts(alone: Point, crowded: Point): Pick<Costs, 'statement' | 'row' | 'trips'> {
  const sharedBy = Math.max(1, alone.transactions / crowded.transactions);
  const saved = Math.max(0, alone.databaseUs - crowded.databaseUs);
  const statement = sharedBy > 1.2 ? Math.min(alone.databaseUs - MIN_US, saved / (1 - 1 / sharedBy)) : 0;
  return { statement, row: alone.databaseUs - statement, trips: Math.max(1, Math.round(alone.transactions)) };
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

/** What the model says of the machine of the measurement, beside what was measured there. */
import { type Operation, operations, type Rates } from './assumptions.ts';
import { type Cell, simulate } from './cell.ts';
import {
  bytesPerRow,
  calibration,
  citusCostsOf,
  costsOf,
  PAGE_IMAGE_BYTES,
  sizeOf,
  spreadOf,
  walFor,
} from './derive.ts';
import { missesFor, pageImagesFor, writesOf } from './pages.ts';
import type { Point, Recorded, SizePoint } from './recorded.ts';
import { bytesOf, PAGE_BYTES, sumOf, tables } from './rows.ts';

export interface Comparison {
  /** Such as `10,000 users` or `10 applications`. */
  readonly column: string;
  /** Such as `refresh, 64 connections, requests/s`. */
  readonly what: string;
  readonly predicted: number;
  readonly measured: number;
  /** The model took its figures from this point: it agrees by construction, or nearly so. */
  readonly calibrated: boolean;
}

/** The way through the loopback interface is work of the processor, which is measured. */
const LOOPBACK_US = 0;
const REQUESTS = 20_000;

export interface SimulationOptions {
  readonly seed?: number;
  /** Of each simulation. */
  readonly requests?: number;
}

export function compareAll(recorded: Recorded, options: SimulationOptions = {}): Comparison[] {
  return recorded.sizes.flatMap(size => [
    ...compareDisk(recorded, size),
    ...operations.flatMap(operation => compareOperation(recorded, size, operation, options)),
  ]);
}

function compareDisk(recorded: Recorded, size: SizePoint): Comparison[] {
  const predicted = sumOf(bytesOf(size.rows, bytesPerRow(calibration(recorded))));
  const measured = tables.reduce(
    (sum, table) => sum + Object.values(size.sizes[table]).reduce((all, bytes) => all + bytes, 0),
    0,
  );
  return [
    {
      column: columnOf(size),
      what: 'disk, MB',
      predicted: predicted / 1e6,
      measured: measured / 1e6,
      calibrated: isCalibration(recorded, size),
    },
  ];
}

function columnOf({ users }: SizePoint): string {
  return `${users.toLocaleString('en-US')} users`;
}

function isCalibration(recorded: Recorded, size: SizePoint): boolean {
  return size.users === calibration(recorded).users;
}

function compareOperation(
  recorded: Recorded,
  size: SizePoint,
  operation: Operation,
  options: SimulationOptions,
): Comparison[] {
  const points = size.points[operation];
  const cell = thisMachine(recorded);
  const calibrated = isCalibration(recorded, size);
  const rows = points.flatMap((point, index) => {
    // The middle one is predicted at every size.
    const own = calibrated && (index === 0 || index === points.length - 1);
    const processorUs = point.nodeUs + point.databaseUs;
    return comparePoint(cell, operation, { ...point, processorUs }, options).map(one => ({
      ...one,
      column: columnOf(size),
      calibrated: own,
    }));
  });
  const last = points.at(-1);
  return last ? [...rows, ...comparePages(recorded, size, operation, last)] : rows;
}

/** Coordinator, workers and the load had one core, as the database has elsewhere. Of the crowds of 10 applications nothing is taken. */
export function compareCitus(recorded: Recorded, options: SimulationOptions = {}): Comparison[] {
  const { citus } = recorded;
  if (!citus) return [];
  const costs = citusCostsOf(recorded);
  return operations.flatMap(operation =>
    citus.points[operation].flatMap((point, _, points) => {
      const { applications, connections, nodeUs, coordinatorUs, workerUs } = point;
      const own = { workers: citus.workers, applications };
      const cell = { ...thisMachine(recorded), costs, citus: own, isOneMachine: true };
      const processorUs = nodeUs + coordinatorUs + workerUs;
      const isExtreme = applications === points[0]?.applications || applications === points.at(-1)?.applications;
      return comparePoint(cell, operation, { ...point, processorUs }, options).map(one => ({
        ...one,
        column: `${applications.toLocaleString('en-US')} application${applications === 1 ? '' : 's'}`,
        calibrated: connections === 1 || isExtreme,
      }));
    }),
  );
}

type MeasuredPoint = Pick<Point, 'connections' | 'clientUs' | 'perSecond' | 'p50'> & { readonly processorUs: number };

function comparePoint(
  cell: Cell,
  operation: Operation,
  point: MeasuredPoint,
  { seed = 1, requests: most = REQUESTS }: SimulationOptions,
) {
  const { connections, clientUs } = point;
  const requests = operation === 'password' ? Math.min(500, most) : most;
  const outcome = simulate(cell, { connections, operation, clientUs }, requests, seed);
  const name = `${operation}, ${connections === 1 ? '1 connection' : `${connections} connections`}`;
  const processorUs = ((outcome.nodeBusy + outcome.databaseBusy) / outcome.perSecond) * 1e6 - clientUs;
  return [
    { what: `${name}, processor µs`, predicted: processorUs, measured: point.processorUs },
    connections === 1
      ? { what: `${name}, p50 ms`, predicted: outcome.latency[operation].p50, measured: point.p50 }
      : { what: `${name}, requests/s`, predicted: outcome.perSecond, measured: point.perSecond },
  ];
}

/** The machine of the measurement: a core for the node, the other for the database and the load. */
function thisMachine(recorded: Recorded): Cell {
  return {
    costs: costsOf(recorded),
    nodes: 1,
    nodeCores: 1,
    databaseCores: 1,
    networkUs: LOOPBACK_US,
    readUs: 0,
    flushUs: recorded.fsyncUs,
    flushUsPerMb: 0,
    spread: spreadOf(recorded),
  };
}

/** Bytes of the WAL and pages that were not in the buffers, of the point with the most connections. */
function comparePages(recorded: Recorded, size: SizePoint, operation: Operation, point: Point): Comparison[] {
  const only = (count: number) =>
    Object.fromEntries(operations.map(name => [name, name === operation ? count : 0])) as unknown as Rates;
  const common = { column: columnOf(size), calibrated: isCalibration(recorded, size) };
  const cachePages = (recorded.sharedBuffersMb * 2 ** 20) / PAGE_BYTES;
  const misses = missesFor(sizeOf(size), only(point.perSecond), cachePages)[operation];
  const pages = {
    ...common,
    what: `${operation}, pages read`,
    predicted: misses,
    measured: point.pagesRead,
    calibrated: false,
  };
  if (writesOf(operation) === 0) return [pages];
  // A run begins with a checkpoint, so what counts is how many requests it has.
  const images = pageImagesFor(sizeOf(size), only(point.requests), 1)[operation];
  const bytes = walFor(recorded, operation) + PAGE_IMAGE_BYTES * images;
  return [pages, { ...common, what: `${operation}, WAL bytes`, predicted: bytes, measured: point.walBytes }];
}

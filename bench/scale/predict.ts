/** What the model says of the machine of the measurement, beside what was measured there. */
import { type Operation, operations, type Rates } from './assumptions.ts';
import { type Cell, simulate } from './cell.ts';
import { bytesPerRow, calibration, costsOf, PAGE_IMAGE_BYTES, sizeOf, spreadOf, walFor } from './derive.ts';
import { missesFor, pageImagesFor, writesOf } from './pages.ts';
import type { Point, Recorded, SizePoint } from './recorded.ts';
import { bytesOf, PAGE_BYTES, sumOf, tables } from './rows.ts';

export interface Comparison {
  readonly users: number;
  /** Such as `refresh, 64 connections, requests/s`. */
  readonly what: string;
  readonly predicted: number;
  readonly measured: number;
  /** The model took its figures from this point: it agrees by construction, or nearly so. */
  readonly calibrated: boolean;
}

/** One way through the loopback interface, with waking the other side. */
const LOOPBACK_US = 20;
const REQUESTS = 20_000;

export function compareAll(recorded: Recorded, seed = 1): Comparison[] {
  return recorded.sizes.flatMap(size => [
    ...compareDisk(recorded, size),
    ...operations.flatMap(operation => compareOperation(recorded, size, operation, seed)),
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
      users: size.users,
      what: 'disk, MB',
      predicted: predicted / 1e6,
      measured: measured / 1e6,
      calibrated: isCalibration(recorded, size),
    },
  ];
}

function isCalibration(recorded: Recorded, size: SizePoint): boolean {
  return size.users === calibration(recorded).users;
}

function compareOperation(recorded: Recorded, size: SizePoint, operation: Operation, seed: number): Comparison[] {
  const points = size.points[operation];
  const cell = thisMachine(recorded);
  const calibrated = isCalibration(recorded, size);
  const rows = points.flatMap((point, index) => {
    const { connections, clientUs } = point;
    const requests = operation === 'password' ? 500 : REQUESTS;
    const outcome = simulate(cell, { connections, operation, clientUs }, requests, seed);
    const name = `${operation}, ${connections === 1 ? '1 connection' : `${connections} connections`}`;
    // The middle one is predicted at every size.
    const own = calibrated && (index === 0 || index === points.length - 1);
    const common = { users: size.users, calibrated: own };
    const processorUs = ((outcome.nodeBusy + outcome.databaseBusy) / outcome.perSecond) * 1e6 - clientUs;
    const processor = { predicted: processorUs, measured: point.nodeUs + point.databaseUs };
    return [
      { ...common, what: `${name}, processor µs`, ...processor },
      connections === 1
        ? { ...common, what: `${name}, p50 ms`, predicted: outcome.latency[operation].p50, measured: point.p50 }
        : { ...common, what: `${name}, requests/s`, predicted: outcome.perSecond, measured: point.perSecond },
    ];
  });
  const last = points.at(-1);
  return last ? [...rows, ...comparePages(recorded, size, operation, last)] : rows;
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
  const common = { users: size.users, calibrated: isCalibration(recorded, size) };
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

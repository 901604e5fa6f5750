/** The file of measured figures: bench/scale/recorded.json. `npm run bench:scale -- --measure` writes it anew. */
import { readFileSync, writeFileSync } from 'node:fs';
import { type Operation, operations } from './assumptions.ts';
import type { RowCounts, Table } from './rows.ts';

/** Of one operation at one number of connections: medians of the rounds. */
export interface Point {
  readonly connections: number;
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of processor time for each request: of the node, of the database, of the generator of the load. */
  readonly nodeUs: number;
  readonly databaseUs: number;
  readonly clientUs: number;
  /** For each request. */
  readonly transactions: number;
  readonly pagesRead: number;
  readonly rowsWritten: number;
  readonly walBytes: number;
  readonly pageImages: number;
  /** Requests from the checkpoint to the end of the load. */
  readonly requests: number;
}

export interface SizePoint {
  /** The day. Points that are measured another time keep theirs. */
  readonly measured: string;
  readonly users: number;
  readonly rows: RowCounts;
  /** Bytes of heap and indexes. */
  readonly sizes: Readonly<Record<Table, Readonly<Record<string, number>>>>;
  readonly databaseBytes: number;
  readonly nodeMemoryMb: number;
  readonly points: Readonly<Record<Operation, readonly Point[]>>;
}

export interface Recorded {
  /** The day of what is of no size, which is measured with any of them. */
  readonly measured: string;
  readonly sharedBuffersMb: number;
  /** Quantiles of 8 kB written and synced, in microseconds. */
  readonly fsyncUs: readonly number[];
  /** Quantiles of the latency of one introspection after the other, against their mean. */
  readonly spread: readonly number[];
  /** Microseconds of one password hash. */
  readonly hashUs: number;
  /** Bytes for each request, both directions: with the client, with the database. */
  readonly network: Readonly<Record<Operation, { readonly client: number; readonly database: number }>>;
  /** What one node does for all: expired token families deleted, events sealed, and the WAL of sealing one. */
  readonly jobs: { readonly purgedPerSecond: number; readonly sealedPerSecond: number; readonly sealWalBytes: number };
  readonly sizes: readonly SizePoint[];
  /** Undefined where no cluster has been measured: plans have none then. */
  readonly citus?: Citus;
}

/** What a cluster of Citus costs: `npm run bench:scale -- --measure --citus`. */
export interface Citus {
  readonly workers: number;
  readonly points: Readonly<Record<Operation, readonly CitusPoint[]>>;
  /** Of a changed profile, a row of a reference table: with so many workers, one after the other. */
  readonly referenceWrites: readonly ReferenceWrite[];
  readonly logout?: Logout;
}

/** As Point, with the processor time of the coordinator and of all workers together. */
export interface CitusPoint
  extends Pick<Point, 'connections' | 'perSecond' | 'p50' | 'p99' | 'nodeUs' | 'clientUs' | 'requests'> {
  readonly measured: string;
  /** Requests are of so many applications, each as often as any other. */
  readonly applications: number;
  readonly coordinatorUs: number;
  readonly workerUs: number;
  /** Transactions of the coordinator for each request: requests of one application share one. */
  readonly calls: number;
}

export interface ReferenceWrite {
  readonly measured: string;
  readonly workers: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly coordinatorUs: number;
  /** Of each worker. */
  readonly workerUs: number;
}

/** Of one after the other, with the shards that Citus makes by itself. */
export interface Logout {
  readonly measured: string;
  /** Milliseconds; and for each where many come at once. */
  readonly p50: number;
  readonly crowdedMs: number;
  readonly coordinatorUs: number;
  /** Of all workers. */
  readonly workerUs: number;
}

/** What is new takes the place of the same number of applications or workers. */
export function mergeCitus(before: Citus, measured: Citus): Citus {
  const points = (name: Operation) =>
    replaced(before.points[name], measured.points[name], ({ applications }) => applications);
  return {
    ...before,
    ...measured,
    points: Object.fromEntries(operations.map(name => [name, points(name)])) as unknown as Citus['points'],
    referenceWrites: replaced(before.referenceWrites, measured.referenceWrites, ({ workers }) => workers),
  };
}

function replaced<T>(before: readonly T[], measured: readonly T[], of: (one: T) => number): T[] {
  const isNew = (one: T) => measured.some(other => of(other) === of(one));
  return [...before.filter(one => !isNew(one)), ...measured].sort((one, other) => of(one) - of(other));
}

export const FILE = new URL('recorded.json', import.meta.url);

export function readRecorded(file: string | URL = FILE): Recorded {
  return JSON.parse(readFileSync(file, 'utf8'));
}

export function writeRecorded(recorded: Recorded, file: string | URL = FILE): void {
  writeFileSync(file, `${JSON.stringify(recorded, rounded, 2)}\n`);
}

/** As `measured` has it. */
export function today(): string {
  return new Date().toISOString().slice(0, 10);
}

const DIGITS = 4;
function rounded(_name: string, value: unknown): unknown {
  const isFraction = typeof value === 'number' && !Number.isInteger(value);
  return isFraction ? Number(value.toPrecision(DIGITS)) : value;
}

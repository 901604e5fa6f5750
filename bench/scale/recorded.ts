/** The file of measured figures: bench/scale/recorded.json. `npm run bench:scale -- --measure` writes it anew. */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Operation } from './assumptions.ts';
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
  readonly users: number;
  readonly rows: RowCounts;
  /** Bytes of heap and indexes. */
  readonly sizes: Readonly<Record<Table, Readonly<Record<string, number>>>>;
  readonly databaseBytes: number;
  readonly nodeMemoryMb: number;
  readonly points: Readonly<Record<Operation, readonly Point[]>>;
}

export interface Recorded {
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
  /** Against the same on plain PostgreSQL, one request after the other. */
  readonly citus: Citus;
}

/** To be replaced by what is measured; `source` says where the figures are from. */
export interface Citus {
  readonly source: string;
  readonly readMs: { readonly plain: number; readonly distributed: number };
  readonly writeMs: { readonly plain: number; readonly distributed: number };
  /** Processor time of an operation, against plain PostgreSQL. Every operation passes the coordinator. */
  readonly processor: { readonly coordinator: number; readonly worker: number };
}

/** Before operations were delegated to the workers. The processor time has not been measured. */
export const CITUS: Citus = {
  source: 'first trial, before operations were delegated to the workers; processor assumed',
  readMs: { plain: 1.1, distributed: 2.1 },
  writeMs: { plain: 2.5, distributed: 9.6 },
  processor: { coordinator: 1, worker: 1 },
};

export const FILE = new URL('recorded.json', import.meta.url);

export function readRecorded(file: string | URL = FILE): Recorded {
  return JSON.parse(readFileSync(file, 'utf8'));
}

export function writeRecorded(recorded: Recorded, file: string | URL = FILE): void {
  writeFileSync(file, `${JSON.stringify(recorded, rounded, 2)}\n`);
}

const DIGITS = 4;
function rounded(_name: string, value: unknown): unknown {
  const isFraction = typeof value === 'number' && !Number.isInteger(value);
  return isFraction ? Number(value.toPrecision(DIGITS)) : value;
}

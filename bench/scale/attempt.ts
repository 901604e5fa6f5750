/** Whether a deployment of so many users can use so many database machines, and how many nodes it needs then. */
import {
  type Behaviour,
  type DatabaseMachine,
  eventsPerSecond,
  GOAL_MS,
  LOGIN_GOAL_MS,
  logoutsPerSecond,
  type Machines,
  mapRates,
  meanRates,
  type Operation,
  operations,
  type Rates,
  referenceWritesPerSecond,
  scaled,
  total,
} from './assumptions.ts';
import { type Cell, type Outcome, simulate } from './cell.ts';
import {
  bytesPerRow,
  calibration,
  citusCostsOf,
  costsOf,
  logoutCosts,
  PAGE_IMAGE_BYTES,
  referenceWriteCosts,
  spreadOf,
  walFor,
} from './derive.ts';
import { missesFor, pageImagesFor } from './pages.ts';
import type { Recorded } from './recorded.ts';
import { bytesOf, mapTables, PAGE_BYTES, type RowCounts, rowsFor, sumOf, type Table, tables } from './rows.ts';
import type { Costs } from './server-process.ts';

/** With Citus every worker holds these whole; the second ones are on the coordinator; the rest is distributed. */
const REFERENCE_TABLES = ['users', 'login_names'] as const satisfies readonly Table[];
const COORDINATOR_TABLES = ['events', 'sessions', 'credentials', 'consents'] as const satisfies readonly Table[];
const DISTRIBUTED_TABLES = tables.filter(
  table => ![...REFERENCE_TABLES, ...COORDINATOR_TABLES].some(one => one === table),
);

/** One deployment. */
export interface Attempt {
  readonly users: number;
  readonly rates: Rates;
  readonly rows: RowCounts;
  readonly tableBytes: Readonly<Record<Table, number>>;
  /** Without the spare one. */
  readonly nodes: number;
  readonly machine: DatabaseMachine;
  /** Primaries that hold rows: one, or the workers of Citus. */
  readonly databases: number;
  /** With standbys, and with the coordinator where there are workers. */
  readonly databaseMachines: number;
  /** Of each primary. */
  readonly diskBytes: number;
  /** Of all, a second at the peak. */
  readonly walBytes: number;
  /** Requests that change something: each is a transaction at most. */
  readonly writes: number;
  /** The busiest minute against the mean of the day. */
  readonly peak: number;
  readonly reads: number;
  readonly networkBytes: { readonly client: number; readonly database: number };
  readonly outcome: Outcome;
}

export interface PlanOptions {
  readonly recorded: Recorded;
  readonly behaviour: Behaviour;
  readonly machines: Machines;
  readonly seed?: number;
  readonly requests?: number;
}

/** What a deployment lacks. Further workers do not help against the last ones. */
export type Limit =
  | 'nothing'
  | 'disk'
  | 'WAL'
  | 'reads of the disk'
  | 'processors of the database'
  | 'latency'
  | ClusterLimit;
export type ClusterLimit = (typeof clusterLimits)[number];
export const clusterLimits = [
  'disk of the coordinator',
  'processors of the coordinator',
  'sealing of events',
  'purge of token families',
  'changes of reference tables',
  'logouts',
] as const;

const REQUESTS = 40_000;
const GB = 1e9;
/** The rest is of the system and of connections. */
const CACHE_SHARE = 0.75;

/** With so many of this machine: one PostgreSQL, or Citus with so many workers and a coordinator. Or why they are too few. */
export function tryDatabases(
  users: number,
  machine: DatabaseMachine,
  databases: number,
  options: PlanOptions,
): Attempt | Limit {
  const { recorded, behaviour, machines } = options;
  const rows = rowsFor(users, behaviour);
  const tableBytes = bytesOf(rows, bytesPerRow(calibration(recorded)));
  const diskBytes = diskOf(tableBytes, databases, behaviour);
  const isLarge = (bytes: number) => bytes > machine.diskGb * GB * machines.maxDisk;
  if (databases > 1 && isLarge(sumOf(tableBytes, [...COORDINATOR_TABLES, ...REFERENCE_TABLES]))) {
    return 'disk of the coordinator';
  }
  if (isLarge(diskBytes)) return 'disk';
  const rates = scaled(meanRates(users, behaviour), behaviour.peak);
  // Jobs that one node does for all. What expires at the peak may wait until the night.
  const events = eventsPerSecond(users, behaviour);
  if (events > recorded.jobs.sealedPerSecond) return 'sealing of events';
  if (rates.code / behaviour.peak > recorded.jobs.purgedPerSecond) return 'purge of token families';
  if (databases > 1 && referenceTableBusy(users, databases, options) > machines.maxProcessor) {
    return 'changes of reference tables';
  }
  if (databases > 1 && logoutBusy(users, options) > machines.maxProcessor) return 'logouts';
  const costs = costsAt(rates, rows, machine, databases, options);
  const sum = (of: (costs: Costs) => number) =>
    operations.reduce((all, name) => all + rates[name] * of(costs[name]), 0);
  // A login has its event in its own bytes.
  const walBytes = sum(({ bytes }) => bytes) + (events - rates.password) * eventWalBytes(recorded);
  const reads = sum(({ misses }) => misses);
  if (walBytes / databases > machines.walMbPerSecond * 1e6) return 'WAL';
  if (reads / databases > machines.readsPerSecond) return 'reads of the disk';
  const found = nodesFor(users, rates, costs, machine, databases, options);
  if (typeof found === 'string') return found;
  const bytes = (side: 'client' | 'database') =>
    total(mapRates(rates, (rate, name) => rate * recorded.network[name][side]));
  return {
    users,
    rates,
    rows,
    tableBytes,
    ...found,
    machine,
    databases,
    databaseMachines: (databases + (databases > 1 ? 1 : 0)) * (1 + machines.standbys),
    diskBytes,
    walBytes,
    writes: writesPerSecond(users, rates, behaviour),
    peak: behaviour.peak,
    reads,
    networkBytes: { client: bytes('client'), database: bytes('database') },
  };
}

function writesPerSecond(users: number, rates: Rates, behaviour: Behaviour): number {
  const { refresh, code, authorization, password } = rates;
  const rare = logoutsPerSecond(users, behaviour) + referenceWritesPerSecond(users, behaviour);
  return refresh + code + authorization + password + rare;
}

/** The statement on all workers, then the two phases of its commit, each of which is flushed and waits for a standby. */
const REFERENCE_WRITE_TRIPS = 3;

/**
 * The share of time in which a reference table is locked. An update of one row makes all other changes of the table wait until it is
 * committed on all workers (docs/scale.md); here all are of one table.
 */
function referenceTableBusy(users: number, workers: number, { recorded, behaviour, machines }: PlanOptions): number {
  const { p50 } = referenceWriteCosts(recorded, workers);
  const trip = 2 * machines.networkUs + machines.fsyncUs + standbyUs(machines);
  const heldUs = (p50 * 1000) / machines.coreSpeed + REFERENCE_WRITE_TRIPS * trip;
  return (referenceWritesPerSecond(users, behaviour) * heldUs) / 1e6;
}

/**
 * The share of time in which a logout is under way. Each writes the reference table `ended_sessions` by an upsert, so logouts take turns
 * as changes of reference tables do.
 */
function logoutBusy(users: number, { recorded, behaviour, machines }: PlanOptions): number {
  const trip = 2 * machines.networkUs + machines.fsyncUs + standbyUs(machines);
  const heldUs = (logoutCosts(recorded).p50 * 1000) / machines.coreSpeed + REFERENCE_WRITE_TRIPS * trip;
  return (logoutsPerSecond(users, behaviour) * heldUs) / 1e6;
}

/** A row of `events` with its indexes, and what its seal writes. */
function eventWalBytes(recorded: Recorded): number {
  const row = Object.values(bytesPerRow(calibration(recorded)).events).reduce((sum, bytes) => sum + bytes, 0);
  return row + recorded.jobs.sealWalBytes;
}

function standbyUs({ standbys, standbyNetworkUs, fsyncUs }: Machines): number {
  return standbys > 0 ? 2 * standbyNetworkUs + fsyncUs : 0;
}

/** Of the fullest worker: the one of the largest application. */
function diskOf(tableBytes: Readonly<Record<Table, number>>, databases: number, { largest }: Behaviour): number {
  if (databases === 1) return sumOf(tableBytes);
  const share = largest + (1 - largest) / databases;
  return sumOf(tableBytes, REFERENCE_TABLES) + sumOf(tableBytes, DISTRIBUTED_TABLES) * share;
}

/** With the pages that are not in memory, and the whole pages of the WAL, at this size and load. */
function costsAt(
  rates: Rates,
  rows: RowCounts,
  machine: DatabaseMachine,
  databases: number,
  { recorded, machines }: PlanOptions,
): Record<Operation, Costs> {
  const isDistributed = (table: Table) => DISTRIBUTED_TABLES.includes(table);
  const own = mapTables(rows, (count, table) => (isDistributed(table) ? count / databases : count));
  const size = { rows: own, each: bytesPerRow(calibration(recorded)) };
  const ownRates = scaled(rates, 1 / databases);
  const cachePages = (machine.memoryGb * GB * CACHE_SHARE) / PAGE_BYTES;
  const misses = missesFor(size, ownRates, cachePages);
  const images = pageImagesFor(size, ownRates, machines.checkpointSeconds);
  const base = databases > 1 ? citusCostsOf(recorded) : costsOf(recorded);
  const faster = (us: number) => us / machines.coreSpeed;
  const cost = (name: Operation): Costs => {
    const { node, wake, statement, row, coordinator, hash, ...rest } = base[name];
    return {
      ...rest,
      node: faster(node),
      wake: faster(wake),
      statement: faster(statement),
      row: faster(row),
      ...(coordinator && {
        coordinator: { statement: faster(coordinator.statement), row: faster(coordinator.row) },
      }),
      misses: misses[name],
      bytes:
        walFor(recorded, name) +
        PAGE_IMAGE_BYTES * images[name] +
        (name === 'password' ? recorded.jobs.sealWalBytes : 0),
      ...(hash !== undefined && { hash: faster(hash) }),
    };
  };
  return Object.fromEntries(operations.map(name => [name, cost(name)])) as Record<Operation, Costs>;
}

function nodesFor(
  users: number,
  rates: Rates,
  costs: Readonly<Record<Operation, Costs>>,
  machine: DatabaseMachine,
  databases: number,
  options: PlanOptions,
): { readonly nodes: number; readonly outcome: Outcome } | Limit {
  const { machines, recorded, behaviour, seed = 1, requests = REQUESTS } = options;
  const work =
    operations.reduce((sum, name) => sum + rates[name] * (costs[name].node + (costs[name].hash ?? 0)), 0) / 1e6;
  const cell = {
    costs,
    nodeCores: machines.nodeCores,
    databaseCores: machine.cores,
    ...(databases > 1 && {
      citus: { workers: databases, applications: behaviour.applications, largest: behaviour.largest },
    }),
    networkUs: machines.networkUs,
    readUs: machines.readUs,
    flushUs: [machines.fsyncUs * 0.5, machines.fsyncUs, machines.fsyncUs * 1.5],
    flushUsPerMb: 1e6 / machines.walMbPerSecond,
    spread: spreadOf(recorded),
    commitDelayUs: standbyUs(machines),
  } satisfies Omit<Cell, 'nodes'>;
  let nodes = Math.max(1, Math.ceil(work / (machines.nodeCores * machines.maxProcessor)));
  for (const most = nodes * 2 + 2; nodes <= most; nodes = Math.max(nodes + 1, Math.ceil(nodes * 1.05))) {
    const simulated = simulate({ ...cell, nodes }, { rates }, requests, seed);
    const outcome = databases > 1 ? withRareWrites(simulated, users, machine, databases, options) : simulated;
    if (outcome.coordinatorBusy > machines.maxProcessor) return 'processors of the coordinator';
    if (outcome.databaseBusy > machines.maxProcessor) return 'processors of the database';
    if (outcome.nodeBusy <= machines.maxProcessor && isFastEnough(outcome)) return { nodes, outcome };
  }
  return 'latency';
}

/** New users, passwords, consents and logouts are few, and not simulated: their processor time is added. */
function withRareWrites(
  outcome: Outcome,
  users: number,
  machine: DatabaseMachine,
  workers: number,
  { recorded, behaviour, machines }: PlanOptions,
): Outcome {
  const [change, logout] = [referenceWriteCosts(recorded, workers), logoutCosts(recorded)];
  const [changes, logouts] = [referenceWritesPerSecond(users, behaviour), logoutsPerSecond(users, behaviour)];
  const share = (us: number) => us / 1e6 / machines.coreSpeed / machine.cores;
  return {
    ...outcome,
    coordinatorBusy: outcome.coordinatorBusy + share(changes * change.coordinatorUs + logouts * logout.coordinatorUs),
    // Each worker has its part of the shards.
    databaseBusy: outcome.databaseBusy + share(changes * change.workerUs + (logouts * logout.workerUs) / workers),
  };
}

function isFastEnough({ latency }: Outcome): boolean {
  return operations.every(name => !(latency[name].p99 > (name === 'password' ? LOGIN_GOAL_MS : GOAL_MS)));
}

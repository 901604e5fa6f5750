/** How many machines so many users need: the smallest number whose simulated peak keeps the goals. */
import {
  type Behaviour,
  type DatabaseMachine,
  GOAL_MS,
  LOGIN_GOAL_MS,
  type Machines,
  mapRates,
  meanRates,
  type Operation,
  operations,
  type Rates,
  scaled,
  total,
} from './assumptions.ts';
import { type Cell, type Outcome, simulate } from './cell.ts';
import { bytesPerRow, calibration, costsOf, PAGE_IMAGE_BYTES, spreadOf, walFor } from './derive.ts';
import { missesFor, pageImagesFor } from './pages.ts';
import type { Recorded } from './recorded.ts';
import { bytesOf, mapTables, PAGE_BYTES, type RowCounts, rowsFor, sumOf, type Table, tables } from './rows.ts';
import type { Costs } from './server-process.ts';

/** With Citus every worker holds these whole; events stay on the coordinator; the rest is distributed. */
export const REFERENCE_TABLES = ['users', 'login_names', 'credentials', 'consents'] as const satisfies readonly Table[];
export const COORDINATOR_TABLES = ['events'] as const satisfies readonly Table[];
export const DISTRIBUTED_TABLES = tables.filter(
  table => ![...REFERENCE_TABLES, ...COORDINATOR_TABLES].some(one => one === table),
);

export interface Plan {
  readonly users: number;
  /** Deployments that share nothing. */
  readonly clusters: number;
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
  readonly reads: number;
  readonly networkBytes: { readonly client: number; readonly database: number };
  readonly outcome: Outcome;
  /** Share of its processors; 0 without Citus. */
  readonly coordinatorBusy: number;
  /** What made a smaller machine, or one worker less, too small. */
  readonly limit: string;
}

export interface PlanOptions {
  readonly recorded: Recorded;
  readonly behaviour: Behaviour;
  readonly machines: Machines;
  readonly seed?: number;
  readonly requests?: number;
}

const REQUESTS = 40_000;
const GB = 1e9;
/** The rest is of the system and of connections. */
const CACHE_SHARE = 0.75;
/** Of one coordinator. */
const MAX_WORKERS = 64;
const MAX_CLUSTERS = 64;
/** What further workers do not help against. */
const CLUSTER_LIMITS = [
  'disk of the coordinator',
  'processors of the coordinator',
  'sealing of events',
  'purge of token families',
];

export function planFor(users: number, options: PlanOptions): Plan {
  let limit = 'nothing';
  for (let clusters = 1; clusters <= MAX_CLUSTERS; clusters++) {
    const tried = planCluster(users / clusters, options);
    if (typeof tried !== 'string') return { ...manyOf(tried, clusters), limit: clusters > 1 ? limit : tried.limit };
    limit = tried;
  }
  throw new Error(`${users} users need more than ${MAX_CLUSTERS} clusters: ${limit}`);
}

/** One PostgreSQL, or one Citus; or why none is large enough. */
function planCluster(users: number, options: PlanOptions): Plan | string {
  const { database } = options.machines;
  let limit = 'nothing';
  for (const machine of database) {
    const tried = tryDatabases(users, machine, 1, options);
    if (typeof tried !== 'string') return { ...tried, limit };
    limit = tried;
  }
  const largest = database.at(-1);
  if (!largest) throw new Error('there is no machine for the database');
  for (let workers = 2; workers <= MAX_WORKERS; workers++) {
    const tried = tryDatabases(users, largest, workers, options);
    if (typeof tried !== 'string') return { ...tried, limit };
    limit = tried;
    if (CLUSTER_LIMITS.includes(limit)) break;
  }
  return limit;
}

/** Clusters that know nothing of each other, each with its share of the users. */
function manyOf(plan: Plan, clusters: number): Plan {
  const times = (value: number) => value * clusters;
  const { client, database } = plan.networkBytes;
  return {
    ...plan,
    users: times(plan.users),
    clusters,
    rates: scaled(plan.rates, clusters),
    rows: mapTables(plan.rows, times),
    tableBytes: mapTables(plan.tableBytes, times),
    nodes: times(plan.nodes),
    databases: times(plan.databases),
    databaseMachines: times(plan.databaseMachines),
    walBytes: times(plan.walBytes),
    reads: times(plan.reads),
    networkBytes: { client: times(client), database: times(database) },
  };
}

/** The plan with so many of this machine, or why they are too few. */
function tryDatabases(
  users: number,
  machine: DatabaseMachine,
  databases: number,
  options: PlanOptions,
): Omit<Plan, 'limit'> | string {
  const { recorded, behaviour, machines } = options;
  const rows = rowsFor(users, behaviour);
  const tableBytes = bytesOf(rows, bytesPerRow(calibration(recorded)));
  const diskBytes = diskOf(tableBytes, databases);
  const isLarge = (bytes: number) => bytes > machine.diskGb * GB * machines.maxDisk;
  if (databases > 1 && isLarge(sumOf(tableBytes, [...COORDINATOR_TABLES, ...REFERENCE_TABLES]))) {
    return 'disk of the coordinator';
  }
  if (isLarge(diskBytes)) return 'disk';
  const rates = scaled(meanRates(users, behaviour), behaviour.peak);
  // Jobs that one node does for all. What expires at the peak may wait until the night.
  if (rates.password > recorded.jobs.sealedPerSecond) return 'sealing of events';
  if (rates.code / behaviour.peak > recorded.jobs.purgedPerSecond) return 'purge of token families';
  const costs = costsAt(rates, rows, machine, databases, options);
  const sum = (of: (costs: Costs) => number) =>
    operations.reduce((all, name) => all + rates[name] * of(costs[name]), 0);
  const [walBytes, reads] = [sum(({ bytes }) => bytes), sum(({ misses }) => misses)];
  if (walBytes / databases > machines.walMbPerSecond * 1e6) return 'WAL';
  if (reads / databases > machines.readsPerSecond) return 'reads of the disk';
  const found = nodesFor(scaled(rates, 1 / databases), costs, machine, databases, options);
  if (typeof found === 'string') return found;
  // Every statement passes the coordinator, which is a machine like the workers.
  const { coordinator, worker } = recorded.citus.processor;
  const coordinatorBusy = databases > 1 ? (found.outcome.databaseBusy * databases * coordinator) / worker : 0;
  if (coordinatorBusy > machines.maxProcessor) return 'processors of the coordinator';
  const bytes = (side: 'client' | 'database') =>
    total(mapRates(rates, (rate, name) => rate * recorded.network[name][side]));
  return {
    users,
    clusters: 1,
    rates,
    rows,
    tableBytes,
    nodes: found.nodes * databases,
    machine,
    databases,
    databaseMachines: (databases + (databases > 1 ? 1 : 0)) * 2,
    diskBytes,
    walBytes,
    reads,
    networkBytes: { client: bytes('client'), database: bytes('database') },
    outcome: found.outcome,
    coordinatorBusy,
  };
}

export function diskOf(tableBytes: Readonly<Record<Table, number>>, databases: number): number {
  if (databases === 1) return sumOf(tableBytes);
  return sumOf(tableBytes, REFERENCE_TABLES) + sumOf(tableBytes, DISTRIBUTED_TABLES) / databases;
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
  const processor = (databases > 1 ? recorded.citus.processor.worker : 1) / machines.coreSpeed;
  const base = costsOf(recorded);
  const cost = (name: Operation): Costs => {
    const { node, wake, statement, row, hash, ...rest } = base[name];
    return {
      ...rest,
      node: node / machines.coreSpeed,
      wake: wake / machines.coreSpeed,
      statement: statement * processor,
      row: row * processor,
      misses: misses[name],
      bytes:
        walFor(recorded, name) +
        PAGE_IMAGE_BYTES * images[name] +
        (name === 'password' ? recorded.jobs.sealWalBytes : 0),
      ...(hash !== undefined && { hash: hash / machines.coreSpeed }),
    };
  };
  return Object.fromEntries(operations.map(name => [name, cost(name)])) as Record<Operation, Costs>;
}

/** Nodes for one database machine. */
function nodesFor(
  rates: Rates,
  costs: Readonly<Record<Operation, Costs>>,
  machine: DatabaseMachine,
  databases: number,
  options: PlanOptions,
): { readonly nodes: number; readonly outcome: Outcome } | string {
  const { machines, recorded, seed = 1, requests = REQUESTS } = options;
  const work =
    operations.reduce((sum, name) => sum + rates[name] * (costs[name].node + (costs[name].hash ?? 0)), 0) / 1e6;
  const { citus } = recorded;
  const further = (ms: { readonly plain: number; readonly distributed: number }) =>
    databases > 1 ? (ms.distributed - ms.plain) * 1000 : 0;
  const standbyUs = machines.synchronousStandby ? 2 * machines.networkUs + machines.fsyncUs : 0;
  const cell = {
    costs,
    nodeCores: machines.nodeCores,
    databaseCores: machine.cores,
    networkUs: machines.networkUs,
    readUs: machines.readUs,
    flushUs: [machines.fsyncUs * 0.5, machines.fsyncUs, machines.fsyncUs * 1.5],
    flushUsPerMb: 1e6 / machines.walMbPerSecond,
    spread: spreadOf(recorded),
    readDelayUs: further(citus.readMs),
    commitDelayUs: further(citus.writeMs) + standbyUs,
  } satisfies Omit<Cell, 'nodes'>;
  let nodes = Math.max(1, Math.ceil(work / (machines.nodeCores * machines.maxProcessor)));
  for (const most = nodes * 2 + 2; nodes <= most; nodes = Math.max(nodes + 1, Math.ceil(nodes * 1.05))) {
    const outcome = simulate({ ...cell, nodes }, { rates }, requests, seed);
    if (outcome.databaseBusy > machines.maxProcessor) return 'processors of the database';
    if (outcome.nodeBusy <= machines.maxProcessor && isFastEnough(outcome)) return { nodes, outcome };
  }
  return 'latency';
}

function isFastEnough({ latency }: Outcome): boolean {
  return operations.every(name => !(latency[name].p99 > (name === 'password' ? LOGIN_GOAL_MS : GOAL_MS)));
}

/** A database with the processes that use it, simulated request by request. */
import { type Operation, operations, type Rates, total } from './assumptions.ts';
import { citusDatabase, type DatabaseSettings, type Primary, postgresDatabase } from './database.ts';
import { SeededRandom } from './random.ts';
import { type Costs, ServerProcess } from './server-process.ts';
import { CommitLog, Processor } from './stations.ts';
import { Timeline } from './timeline.ts';

export interface Cell {
  readonly costs: Readonly<Record<Operation, Costs>>;
  /** Machines of nodes, and the cores of each: a process for each core (GATEHOUSE_WORKERS=auto). */
  readonly nodes: number;
  readonly nodeCores: number;
  /** Of each machine of the database. */
  readonly databaseCores: number;
  /** A Citus cluster: workers, and applications that the requests are of, each as often as any other but the first, whose share is `largest`. */
  readonly citus?: { readonly workers: number; readonly applications: number; readonly largest?: number };
  readonly networkUs: number;
  readonly readUs: number;
  /** Quantiles of a flush, at equal distances, and how long a megabyte takes besides. */
  readonly flushUs: readonly number[];
  readonly flushUsPerMb: number;
  /** Quantiles of the processor time of one request against its mean. */
  readonly spread: readonly number[];
  /** Further microseconds of a commit, for a standby. */
  readonly commitDelayUs?: number;
  /** Coordinator, workers and the load of a measurement share one core. */
  readonly isOneMachine?: boolean;
}

/** Requests at random times, so many a second; or a number of connections that send the next one after each answer. */
export type Load =
  | { readonly rates: Rates }
  | { readonly connections: number; readonly operation: Operation; readonly clientUs: number };

export interface Latency {
  readonly p50: number;
  readonly p99: number;
}

export interface Outcome {
  readonly perSecond: number;
  /** Milliseconds; NaN where no such request was made. */
  readonly latency: Readonly<Record<Operation, Latency>>;
  /** Shares of what there is. */
  readonly nodeBusy: number;
  /** Of the busiest worker. */
  readonly databaseBusy: number;
  readonly coordinatorBusy: number;
  /** Statements for each request. */
  readonly statements: number;
}

/** The scheduler of Linux lets a task run for about this long while others wait. */
const SLICE_US = 3000;
/** Threads for hashes, as passwords.ts has them, where there is a process for each core. */
const MAX_HASHES = 1;
const WARM_UP = 0.1;
const CLIENT = {};

export function simulate(cell: Cell, load: Load, requests: number, seed = 1): Outcome {
  const timeline = new Timeline();
  const random = new SeededRandom(seed);
  const nodes = Array.from({ length: cell.nodes }, () => new Processor(timeline, cell.nodeCores, SLICE_US));
  const { database, primaries, coordinator, client } = databaseOf(cell, timeline, random);
  const vary = () => random.from(cell.spread);
  const processes = nodes.flatMap(node =>
    Array.from({ length: cell.nodeCores }, () => new ServerProcess(node, database, vary, MAX_HASHES)),
  );
  const times = new Map<Operation, number[]>(operations.map(name => [name, []]));
  let answered = 0;
  let sent = 0;
  let measuredFrom = 0;
  const send = (operation: Operation, next: () => void = () => {}) => {
    const number = sent++;
    const from = timeline.now;
    const process = processes[Math.floor(random.next() * processes.length)] as ServerProcess;
    const application = applicationOf(cell, random);
    process.handle({ costs: cell.costs[operation], application }, () => {
      answered++;
      if (number >= requests * WARM_UP) times.get(operation)?.push(timeline.now - from);
      else measuredFrom = timeline.now;
      next();
    });
  };
  if ('rates' in load) arrive(load.rates);
  else for (let connection = 0; connection < load.connections; connection++) again(load);
  timeline.run(() => answered >= requests);

  function arrive(rates: Rates): void {
    const all = total(rates);
    const next = () => {
      send(pick(rates, random.next() * all));
      timeline.after(random.exponential(1e6 / all), next);
    };
    next();
  }

  /** The client of the measurement works on the core of the database; it is one process. */
  function again({ operation, clientUs }: Extract<Load, { operation: Operation }>): void {
    const next = () => client.run(clientUs, () => send(operation, next), CLIENT);
    next();
  }

  const seconds = timeline.now / 1e6;
  const share = (busy: number, count: number) => busy / 1e6 / (seconds * count);
  const sumBusy = (all: readonly { readonly busy: number }[]) => all.reduce((sum, { busy }) => sum + busy, 0);
  return {
    perSecond: (answered * (1 - WARM_UP)) / ((timeline.now - measuredFrom) / 1e6),
    latency: latencies(times),
    nodeBusy: share(sumBusy(nodes), cell.nodes * cell.nodeCores),
    databaseBusy: Math.max(...primaries.map(({ processor }) => share(processor.busy, cell.databaseCores))),
    coordinatorBusy: coordinator ? share(coordinator.busy, cell.databaseCores) : 0,
    statements: database.statements() / sent,
  };
}

function applicationOf({ citus }: Cell, random: SeededRandom): number {
  const { applications = 1, largest = 0 } = citus ?? {};
  if (largest > 0 && random.next() < largest) return 0;
  return Math.floor(random.next() * applications);
}

function databaseOf(cell: Cell, timeline: Timeline, random: SeededRandom) {
  const { networkUs, readUs, commitDelayUs = 0, spread, citus } = cell;
  const settings: DatabaseSettings = { timeline, random, networkUs, readUs, commitDelayUs, spread };
  const processor = () => new Processor(timeline, cell.databaseCores, SLICE_US);
  const log = () => new CommitLog(timeline, bytes => random.from(cell.flushUs) + (bytes / 1e6) * cell.flushUsPerMb);
  const first = processor();
  if (!citus) {
    const primary: Primary = { processor: first, log: log() };
    return { database: postgresDatabase(primary, settings), primaries: [primary], client: first };
  }
  const machine = cell.isOneMachine ? () => first : processor;
  const workers = Array.from({ length: citus.workers }, (): Primary => ({ processor: machine(), log: log() }));
  return { database: citusDatabase(first, workers, settings), primaries: workers, coordinator: first, client: first };
}

function pick(rates: Rates, value: number): Operation {
  let left = value;
  for (const operation of operations) {
    left -= rates[operation];
    if (left < 0) return operation;
  }
  return operations[0];
}

function latencies(times: ReadonlyMap<Operation, number[]>): Record<Operation, Latency> {
  const of = (operation: Operation): Latency => {
    const sorted = (times.get(operation) ?? []).toSorted((one, other) => one - other);
    const at = (part: number) =>
      (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN) / 1000;
    return { p50: at(0.5), p99: at(0.99) };
  };
  return Object.fromEntries(operations.map(name => [name, of(name)])) as Record<Operation, Latency>;
}

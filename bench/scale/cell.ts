/**
 * One database machine with the processes that use it, simulated request by request. Several such cells are alike: where tables are
 * distributed, each worker has its share of the load.
 */
import { type Operation, operations, type Rates, total } from './assumptions.ts';
import { SeededRandom } from './random.ts';
import { type Costs, type Database, ServerProcess } from './server-process.ts';
import { CommitLog, Processor } from './stations.ts';
import { Timeline } from './timeline.ts';

export interface Cell {
  readonly costs: Readonly<Record<Operation, Costs>>;
  /** Machines of nodes, and the cores of each: a process for each core (GATEHOUSE_WORKERS=auto). */
  readonly nodes: number;
  readonly nodeCores: number;
  readonly databaseCores: number;
  readonly networkUs: number;
  readonly readUs: number;
  /** Quantiles of a flush, at equal distances, and how long a megabyte takes besides. */
  readonly flushUs: readonly number[];
  readonly flushUsPerMb: number;
  /** Quantiles of the processor time of one request against its mean. */
  readonly spread: readonly number[];
  /** Further microseconds of a read and of a commit: of a standby, of a coordinator. */
  readonly readDelayUs?: number;
  readonly commitDelayUs?: number;
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
  readonly databaseBusy: number;
  readonly logBusy: number;
  /** Requests that did not get an answer in the end: the system was too slow for the load. */
  readonly unanswered: number;
}

/** The scheduler of Linux lets a task run for about this long while others wait. */
const SLICE_US = 3000;
/** Threads for hashes, as passwords.ts has them, where there is a process for each core. */
const MAX_HASHES = 1;
const WARM_UP = 0.1;

export function simulate(cell: Cell, load: Load, requests: number, seed = 1): Outcome {
  const timeline = new Timeline();
  const random = new SeededRandom(seed);
  const nodes = Array.from({ length: cell.nodes }, () => new Processor(timeline, cell.nodeCores, SLICE_US));
  const databaseProcessor = new Processor(timeline, cell.databaseCores, SLICE_US);
  const log = new CommitLog(timeline, bytes => random.from(cell.flushUs) + (bytes / 1e6) * cell.flushUsPerMb);
  const database = databaseOf(cell, { timeline, random, processor: databaseProcessor, log });
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
    process.handle(cell.costs[operation], () => {
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
      if (sent < requests) timeline.after(random.exponential(1e6 / all), next);
    };
    next();
  }

  /** The client of the measurement works on the core of the database. */
  function again({ operation, clientUs }: Extract<Load, { operation: Operation }>): void {
    const next = () => databaseProcessor.run(clientUs, () => send(operation, next));
    next();
  }

  const seconds = timeline.now / 1e6;
  const share = (busy: number, count: number) => busy / 1e6 / (seconds * count);
  const nodeTime = nodes.reduce((sum, { busy }) => sum + busy, 0);
  return {
    perSecond: (answered * (1 - WARM_UP)) / ((timeline.now - measuredFrom) / 1e6),
    latency: latencies(times),
    nodeBusy: share(nodeTime, cell.nodes * cell.nodeCores),
    databaseBusy: share(databaseProcessor.busy, cell.databaseCores),
    logBusy: share(log.busy, 1),
    unanswered: sent - answered,
  };
}

interface DatabaseParts {
  readonly timeline: Timeline;
  readonly random: SeededRandom;
  readonly processor: Processor;
  readonly log: CommitLog;
}

function databaseOf(cell: Cell, { timeline, random, processor, log }: DatabaseParts): Database {
  const { networkUs, readUs, readDelayUs = 0, commitDelayUs = 0 } = cell;
  /** Of 1.3 pages on average, one or two in each case. */
  const reads = (misses: number) => Math.floor(misses) + (random.next() < misses % 1 ? 1 : 0);
  return {
    execute(group, answered) {
      // Equal operations share a statement; those of one group share a commit.
      const statements = [...new Set(group)].reduce((sum, { statement }) => sum + statement, 0);
      const time = group.reduce((sum, { row }) => sum + row, statements);
      const waitForPages = group.reduce((sum, { misses }) => sum + reads(misses), 0) * readUs;
      const bytes = group.reduce((sum, costs) => sum + costs.bytes, 0);
      const trips = Math.max(...group.map(costs => costs.trips));
      const writes = group[0]?.kind === 'write';
      const back = (delay: number) => timeline.after(networkUs + delay, answered);
      timeline.after(networkUs * (2 * trips - 1), () =>
        processor.run(time * random.from(cell.spread), () =>
          timeline.after(waitForPages, () =>
            writes ? log.commit(bytes, () => back(commitDelayUs)) : back(readDelayUs),
          ),
        ),
      );
    },
  };
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

/** Measures what the model needs, on a real PostgreSQL at several sizes: `npm run bench:scale -- --measure`. */
import { execFileSync } from 'node:child_process';
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createPasswords, passwordLimits } from '../../src/people/password/passwords.ts';
import { systemRandom } from '../../src/platform/crypto/random.ts';
import { checkAnswers } from '../check.ts';
import { canPin, LOAD_CORE } from '../child.ts';
import { PASSWORD, type Target } from '../fixture.ts';
import { endLoad, load, type Sample } from '../load/load.ts';
import { median } from '../measure.ts';
import { residentMemory } from '../processor.ts';
import { startGatehouse } from '../servers/gatehouse.ts';
import { databaseUrl, GATEHOUSE, openPlace, type Place } from '../servers/place.ts';
import { type Behaviour, type Operation, operations } from './assumptions.ts';
import { type Counters, Observer } from './counters.ts';
import { normalized } from './derive.ts';
import { fillPlace, spareFile } from './fill.ts';
import { measureJobs } from './jobs.ts';
import { openMeter } from './meter.ts';
import { type Point, type Recorded, type SizePoint, today } from './recorded.ts';
import { type RowCounts, rowsFor } from './rows.ts';

export interface MeasuredSize {
  readonly users: number;
  readonly behaviour: Behaviour;
}

export interface MeasurePlan {
  readonly sizes: readonly MeasuredSize[];
  readonly rounds: number;
  readonly seconds: number;
  /** From one, which shows the latency of a request alone, to as many as saturate a core. */
  readonly connections: readonly number[];
  /** To see that it works: the figures are worth nothing. */
  readonly quick: boolean;
  /** Held while the machine has to be quiet. */
  quietly<T>(work: () => Promise<T>): Promise<T>;
  say(line: string): void;
}

const SHARED_BUFFERS_MB = 128;
/** Checkpoints when the measurement asks for them. */
export const SETTINGS = { shared_buffers: `${SHARED_BUFFERS_MB}MB`, max_wal_size: '32GB', checkpoint_timeout: '1h' };
/** A hash takes some 40 ms and one is made at a time. */
const LOGIN_CONNECTIONS = [1, 4] as const;
const QUANTILES = 20;
const CODES_PER_ROUND = 2000;
const MIN_CODES = 40_000;
/** Seconds of a warm-up, and of the measurement of the network. */
const PARTS = { warmUp: 0.5, network: 1 };
const QUICK_PARTS = { warmUp: 0.05, network: 0.1 };

/** All sizes are filled first, which takes most of the time and needs no quiet. */
export async function measureAll(plan: MeasurePlan): Promise<Omit<Recorded, 'citus'>> {
  const filled: (readonly [MeasuredSize, Awaited<ReturnType<typeof openPlace>>])[] = [];
  try {
    for (const size of plan.sizes) {
      plan.say(`${size.users} users: filling…`);
      const place = await openPlace('postgres', SETTINGS);
      filled.push([size, place]);
      await fillPlace(place, rowsOf(size, plan), plan.say);
    }
    const [first] = filled;
    if (!first) throw new Error('there is no size to measure');
    const sizes: SizePoint[] = [];
    let spread: readonly number[] = [];
    for (const [size, place] of filled) {
      plan.say(`${size.users} users: measuring…`);
      const measured = await plan.quietly(() => measureSize(place, size, plan));
      sizes.push(measured.point);
      spread = measured.spread;
    }
    const rest = await plan.quietly(async () => ({
      network: await measureNetwork(first[1], plan),
      fsyncUs: measureSync(),
      hashUs: await measureHash(),
      jobs: await measureJobs(),
    }));
    return { measured: today(), sharedBuffersMb: SHARED_BUFFERS_MB, ...rest, spread, sizes };
  } finally {
    endLoad();
    for (const [, place] of filled) await place.close();
  }
}

/** Codes are good once: enough for all rounds, also where so few users would not have so many. */
function rowsOf({ users, behaviour }: MeasuredSize, { quick }: MeasurePlan): RowCounts {
  const rows = rowsFor(users, behaviour);
  return { ...rows, codes: Math.max(rows.codes, quick ? CODES_PER_ROUND : MIN_CODES) };
}

async function measureSize(place: Place, size: MeasuredSize, plan: MeasurePlan) {
  const observer = await Observer.open(urlOf(place));
  const { users } = size;
  const rows = rowsOf(size, plan);
  const [sizes, databaseBytes] = [await observer.sizes(), await observer.databaseBytes()];
  pinDatabase(place);
  const { target, stop } = await startGatehouse(place);
  try {
    await checkAnswers(target);
    const measured = await measureTasks(target, tasksOf(operations, plan.connections), observer, plan);
    const pointsFor = (name: Operation) => measured.filter(([{ operation }]) => operation === name).map(pointOf);
    const points = Object.fromEntries(operations.map(name => [name, pointsFor(name)])) as Record<Operation, Point[]>;
    const nodeMemoryMb = residentMemory(target.pid ?? 0) ?? Number.NaN;
    // Of single introspections, the first task.
    const spread = spreadFrom(measured[0]?.[1][0]?.[0].quantiles ?? []);
    return { point: { measured: today(), users, rows, sizes, databaseBytes, nodeMemoryMb, points }, spread };
  } finally {
    await stop();
    await observer.close();
  }
}

/** With the load, on the other core than the node: both have a core of their own. Connections are made afterwards. */
export function pinDatabase({ postgres }: Place): void {
  if (!canPin || !postgres) return;
  for (const pid of [postgres.pid, ...(postgres.workerPids ?? [])])
    execFileSync('taskset', ['-cp', String(LOAD_CORE), String(pid)], { stdio: 'ignore' });
}

/** What is measured in some rounds. */
export interface Task {
  readonly operation: Operation;
  readonly connections: number;
}

type Rounds = readonly (readonly [Sample, Counters])[];

/**
 * For each task its rounds, one after the other: a backend reports its counters a second late, so those of a round come with the next
 * one, which has to be alike.
 */
export async function measureTasks(
  target: Target,
  tasks: readonly Task[],
  observer: Observer,
  { rounds, seconds, quick }: Pick<MeasurePlan, 'rounds' | 'seconds' | 'quick'>,
): Promise<(readonly [Task, Rounds])[]> {
  const measured: (readonly [Task, Rounds])[] = [];
  for (const task of tasks) {
    const { operation, connections } = task;
    // For the compiler, and for the connections to the database.
    await load(target, operation, { connections, seconds: partsOf(quick).warmUp, most: 500 });
    const results: (readonly [Sample, Counters])[] = [];
    for (let round = 0; round < rounds; round++) {
      await observer.checkpoint();
      // Codes are good once: a share for each round.
      const most = operation === 'code' ? { most: CODES_PER_ROUND } : {};
      results.push(await observer.during(() => load(target, operation, { connections, seconds, ...most })));
    }
    measured.push([task, results]);
  }
  return measured;
}

export function tasksOf(names: readonly Operation[], connections: readonly number[]): Task[] {
  return names.flatMap(operation =>
    (operation === 'password' ? LOGIN_CONNECTIONS : connections).map(connections => ({ operation, connections })),
  );
}

/** Medians of the rounds: of what the load saw, and of what the database counted for each request. */
export function mediansOf(rounds: Rounds) {
  return {
    middle: (of: (sample: Sample) => number | undefined) => median(rounds.map(([sample]) => of(sample) ?? Number.NaN)),
    each: (name: keyof Counters) => median(rounds.map(([{ requests }, counters]) => counters[name] / requests)),
  };
}

export const clientTime = ({ generatorBusy, perSecond }: Sample): number => (generatorBusy / perSecond) * 1e6;

function pointOf([{ connections }, rounds]: readonly [Task, Rounds]): Point {
  const { middle, each } = mediansOf(rounds);
  return {
    connections,
    perSecond: middle(({ perSecond }) => perSecond),
    p50: middle(({ p50 }) => p50),
    p99: middle(({ p99 }) => p99),
    nodeUs: middle(({ serverCpu }) => serverCpu),
    databaseUs: middle(({ databaseCpu }) => databaseCpu),
    clientUs: middle(clientTime),
    transactions: each('transactions'),
    pagesRead: each('pagesRead'),
    rowsWritten: each('rowsWritten'),
    walBytes: each('walBytes'),
    pageImages: each('pageImages'),
    requests: Math.round(middle(({ requests }) => requests)),
  };
}

/** Against the mean, without the longest one. */
function spreadFrom(quantiles: readonly number[]): number[] {
  return normalized(quantiles.slice(0, -1));
}

const partsOf = (quick: boolean) => (quick ? QUICK_PARTS : PARTS);

async function measureNetwork(place: Place, { quick }: MeasurePlan): Promise<Recorded['network']> {
  const { warmUp, network: seconds } = partsOf(quick);
  const database = new URL(urlOf(place));
  const toDatabase = await openMeter(Number(database.port));
  const postgres = { url: Object.assign(new URL(place.postgres?.url ?? ''), { port: toDatabase.port }).href, pid: 0 };
  const { target, stop } = await startGatehouse({ ...place, postgres });
  const { port } = new URL(target.requests.introspection?.url ?? '');
  const toNode = await openMeter(Number(port));
  const metered = JSON.parse(JSON.stringify(target), (_name, value) =>
    typeof value !== 'string' ? value : spareFileOf(value.replace(`:${port}/`, `:${toNode.port}/`)),
  ) as Target;
  const network: Partial<Record<Operation, { client: number; database: number }>> = {};
  for (const operation of operations) {
    await load(metered, operation, { connections: 1, seconds: warmUp, most: 100 });
    // What the node asks for by itself, such as the time, is part of it: a few hundred bytes in half a second.
    const before = [toNode.bytes(), toDatabase.bytes()] as const;
    const { requests } = await load(metered, operation, { connections: 1, seconds, most: 500 });
    await pause(50);
    const each = (meter: typeof toNode, from: number) => Math.round((meter.bytes() - from) / requests);
    network[operation] = { client: each(toNode, before[0]), database: each(toDatabase, before[1]) };
  }
  await stop();
  await toNode.close();
  await toDatabase.close();
  return network as Recorded['network'];
}

function spareFileOf(text: string): string {
  return text.endsWith('.txt') ? spareFile(text) : text;
}

const SYNCS = 400;

function measureSync(): number[] {
  const path = join(tmpdir(), `gatehouse-sync-${process.pid}`);
  const file = openSync(path, 'w');
  const block = Buffer.alloc(8192, 1);
  // Into space that is there already, as into a recycled segment of the WAL.
  for (let number = 0; number < SYNCS; number++) writeSync(file, block);
  fdatasyncSync(file);
  const times = Array.from({ length: SYNCS }, (_, number) => {
    const began = performance.now();
    writeSync(file, block, 0, block.length, number * block.length);
    fdatasyncSync(file);
    return (performance.now() - began) * 1000;
  }).sort((one, other) => one - other);
  closeSync(file);
  rmSync(path);
  return Array.from({ length: QUANTILES }, (_, step) => times[Math.floor((step / QUANTILES) * SYNCS)] ?? 0);
}

const HASHES = 15;

async function measureHash(): Promise<number> {
  const passwords = createPasswords(systemRandom, passwordLimits(1, 1));
  const times: number[] = [];
  for (let number = 0; number < HASHES; number++) {
    const before = process.cpuUsage();
    await passwords.hash(PASSWORD);
    const { user, system } = process.cpuUsage(before);
    times.push(user + system);
  }
  return median(times);
}

export function urlOf({ postgres }: Place): string {
  return databaseUrl(postgres ?? { url: '' }, GATEHOUSE);
}

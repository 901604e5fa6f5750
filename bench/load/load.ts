import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { LOAD_CORE, pinned } from '../child.ts';
import type { Target, Work } from '../fixture.ts';
import { databaseTime, processorTime } from '../processor.ts';
import type { Figures, FromGenerator, Job, ToGenerator } from './generator.ts';

export interface Sample {
  readonly requests: number;
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly quantiles: readonly number[];
  /** Microseconds for each request; undefined where nothing is known of the process. */
  readonly serverCpu: number | undefined;
  readonly databaseCpu: number | undefined;
  /** The part of it that the workers of a Citus cluster used. */
  readonly workerCpu: number | undefined;
  readonly generatorBusy: number;
}

/** Loads one server with one kind of work. A single failed request spoils the figure and ends the benchmark. */
export async function load(target: Target, work: Work, options: Omit<Job, 'form'>): Promise<Sample> {
  const form = target.requests[work];
  if (!form) throw new Error(`${target.name} has no ${work}`);
  await ask({ kind: 'prepare', job: { form, ...options } });
  // Right before the first request and right after the last answer.
  const before = amountsOf(target);
  const answer = await ask({ kind: 'go' }).catch(error => {
    throw new Error(`${target.name}, ${work}: ${error.message}`);
  });
  const after = amountsOf(target);
  const { requests, failed, complaint, seconds, p50, p99, quantiles, busy } = (answer as { figures: Figures }).figures;
  if (failed > 0) throw new Error(`${target.name}: ${failed} requests of ${work} failed:\n${complaint}`);
  const each = (amount: keyof typeof before) => (after[amount] - before[amount]) / requests;
  const known = (amount: number) => (Number.isNaN(amount) ? undefined : amount);
  return {
    requests,
    perSecond: requests / seconds,
    p50,
    p99,
    quantiles,
    serverCpu: known(each('server') * 1e6),
    databaseCpu: known(each('database') * 1e6),
    workerCpu: known(each('workers') * 1e6),
    generatorBusy: busy,
  };
}

function timeOfAll(servers: readonly number[]): number {
  return servers.reduce((sum, pid) => sum + (databaseTime(pid) ?? Number.NaN), 0);
}

/** What was used so far; NaN where it is not known. */
function amountsOf({ pid, database }: Target) {
  const workers = database?.workerPids ? timeOfAll(database.workerPids) : Number.NaN;
  return {
    server: (pid === undefined ? undefined : processorTime(pid)) ?? Number.NaN,
    database: database ? timeOfAll([database.pid]) + (workers || 0) : Number.NaN,
    workers,
  };
}

let generator: ChildProcess | undefined;

async function ask(message: ToGenerator): Promise<FromGenerator> {
  generator ??= startGenerator();
  generator.send(message);
  const [answer] = (await once(generator, 'message')) as [FromGenerator];
  if (answer.kind === 'fault') throw new Error(answer.message);
  return answer;
}

function startGenerator(): ChildProcess {
  const script = fileURLToPath(new URL('generator.ts', import.meta.url));
  const [program, args] = pinned(LOAD_CORE, process.execPath, [script]);
  return spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
}

/** What `load` started, when there is no more to load. */
export function endLoad(): void {
  if (generator?.connected) generator.disconnect();
  generator = undefined;
}

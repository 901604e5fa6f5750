import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { LOAD_CORE, pinned } from '../child.ts';
import type { AnyWork, Target } from '../fixture.ts';
import { databaseTime, processorTime } from '../processor.ts';
import { countStatements } from '../statements.ts';
import type { Figures, FromGenerator, Job, ToGenerator } from './generator.ts';

export interface LoadOptions {
  readonly connections: number;
  readonly seconds: number;
  /** Requests per second at times that are fixed beforehand; without it, as many as the connections can. */
  readonly rate?: number;
  readonly most?: number;
  /** Being told to come back later is an answer too. */
  readonly refusalsAreFine?: boolean;
}

export interface Sample {
  readonly requests: number;
  readonly failed: number;
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  /** Microseconds for each request; undefined where nothing is known of the process. */
  readonly serverCpu: number | undefined;
  readonly databaseCpu: number | undefined;
  /** Of PostgreSQL, for each request. */
  readonly statements: number | undefined;
  /** Share of one core that the server used; near 1 means that the server was the limit, not the load. */
  readonly serverBusy: number | undefined;
  readonly generatorBusy: number;
}

let own: Generator | undefined;

/** Loads one server with one kind of work. A single failed request spoils the figure and ends the benchmark. */
export async function load(
  target: Target,
  work: AnyWork,
  options: LoadOptions,
  generator?: Generator,
): Promise<Sample> {
  const form = target.requests[work];
  if (!form) throw new Error(`${target.name} has no ${work}`);
  const { refusalsAreFine = false, ...rest } = options;
  const read = async () => ({
    server: target.pid === undefined ? undefined : processorTime(target.pid),
    database: target.database && databaseTime(target.database.pid),
    statements: target.database && (await countStatements(target.database.url)),
  });
  const { figures, before, after } = await (generator ?? ownGenerator()).run({ form, ...rest }, read);
  if (figures.failed > 0 && !refusalsAreFine) {
    throw new Error(`${target.name}: ${figures.failed} requests of ${work} failed:\n${figures.complaint}`);
  }
  const { requests, failed, seconds, p50, p99, p999, busy } = figures;
  const used = (part: 'server' | 'database' | 'statements') => difference(before[part], after[part]);
  const server = used('server');
  return {
    requests,
    failed,
    perSecond: requests / seconds,
    p50,
    p99,
    p999,
    serverCpu: per(requests, server, 1e6),
    databaseCpu: per(requests, used('database'), 1e6),
    statements: per(requests, used('statements'), 1),
    serverBusy: server === undefined ? undefined : server / seconds,
    generatorBusy: busy,
  };
}

function ownGenerator(): Generator {
  own ??= new Generator();
  return own;
}

/** What `load` started, when there is no more to load. */
export function endLoad(): void {
  own?.close();
  own = undefined;
}

function difference(before: number | undefined, after: number | undefined): number | undefined {
  return before === undefined || after === undefined ? undefined : after - before;
}

function per(requests: number, amount: number | undefined, unit: number): number | undefined {
  return amount === undefined ? undefined : (amount / requests) * unit;
}

export class Generator {
  readonly #child: ChildProcess;

  constructor(cores: number | readonly number[] = LOAD_CORE) {
    const script = fileURLToPath(new URL('generator.ts', import.meta.url));
    const [program, args] = pinned(cores, process.execPath, [script]);
    this.#child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  }

  /** `read` right before the first request and right after the last answer. */
  async run<T>(job: Job, read: () => Promise<T>): Promise<{ figures: Figures; before: T; after: T }> {
    await this.#ask({ kind: 'prepare', job });
    const before = await read();
    const answer = await this.#ask({ kind: 'go' });
    const after = await read();
    if (answer.kind !== 'done') throw new Error('the generator lost its way');
    return { figures: answer.figures, before, after };
  }

  close(): void {
    if (this.#child.connected) this.#child.disconnect();
  }

  async #ask(message: ToGenerator): Promise<FromGenerator> {
    this.#child.send(message);
    const [answer] = (await once(this.#child, 'message')) as [FromGenerator];
    if (answer.kind === 'fault') throw new Error(answer.message);
    return answer;
  }
}

/** Shares the files of a run among a few processes. */
import { portRanges } from '../free-port.ts';
import type { NotRun } from './report.ts';
import type { FileResult } from './result.ts';
import type { FileOrder } from './run-file.ts';
import { TestProcess } from './test-process.ts';

/** Files that run with the same environment, and so in the same processes. */
export interface Pass {
  /** What tells them from those of the first pass, such as the store; empty for the first. */
  readonly name: string;
  readonly files: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

export interface PoolOptions extends Omit<FileOrder, 'file'> {
  readonly atOnce: number;
  /** Files that run only when what they need is installed, except those that then cannot run. */
  readonly waiting?: { readonly files: readonly string[]; readonly installed: Promise<readonly NotRun[]> };
  /** A file has ended; `output`: what it printed, if it failed. */
  ended(pass: Pass, result: FileResult, output: string): void;
}

const NOTHING = { files: [], installed: Promise.resolve([]) };

interface Job {
  readonly pass: Pass;
  readonly file: string;
}

/** What could not be run. */
export async function runPool(passes: readonly Pass[], options: PoolOptions): Promise<readonly NotRun[]> {
  const jobs: Job[] = passes.flatMap(pass => pass.files.map(file => ({ pass, file })));
  const queue = new Queue(jobs, options.waiting);
  const ranges = portRanges(Math.min(options.atOnce, jobs.length));
  await Promise.all(ranges.map(TEST_PORTS_FROM => work(queue, { TEST_PORTS_FROM }, options)));
  return options.waiting?.installed ?? [];
}

class Queue {
  #jobs: Job[];
  #waiting: ReadonlySet<string>;
  readonly #installed: Promise<void>;

  constructor(jobs: readonly Job[], { files, installed }: PoolOptions['waiting'] = NOTHING) {
    this.#jobs = [...jobs];
    this.#waiting = new Set(files);
    this.#installed = installed.then(notRun => {
      const leftOut = new Set(notRun.flatMap(each => each.files));
      this.#waiting = new Set();
      this.#jobs = this.#jobs.filter(({ file }) => !leftOut.has(file));
    });
  }

  /** The next file of this pass; of another, if there is none. */
  async next(pass?: Pass): Promise<Job | undefined> {
    const ready = this.#jobs.filter(({ file }) => !this.#waiting.has(file));
    const job = ready.find(each => each.pass === pass) ?? ready[0];
    if (job === undefined && this.#jobs.length > 0) {
      await this.#installed;
      return this.next(pass);
    }
    this.#jobs = this.#jobs.filter(each => each !== job);
    return job;
  }
}

async function work(queue: Queue, env: NodeJS.ProcessEnv, options: PoolOptions): Promise<void> {
  let current: { readonly pass: Pass; readonly process: TestProcess } | undefined;
  for (let job = await queue.next(); job; job = await queue.next(current?.pass)) {
    const { pass, file } = job;
    if (current?.pass !== pass) {
      await current?.process.end();
      current = { pass, process: new TestProcess({ ...pass.env, ...env }, options.isVerbose) };
    }
    const result = await current.process.run({ ...options, file });
    const hasFailed = result.failed.length > 0;
    // It may have left the process in any state; and all it printed has come when the process has ended.
    if (hasFailed) await current.process.end();
    options.ended(pass, result, current.process.output(hasFailed));
    if (hasFailed) current = undefined;
  }
  await current?.process.end();
}

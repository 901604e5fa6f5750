/** Shares the files of a run among a few processes. */
import { portRanges } from '../free-port.ts';
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
  /** A file has ended; `output`: what it printed, if it failed. */
  ended(pass: Pass, result: FileResult, output: string): void;
}

interface Job {
  readonly pass: Pass;
  readonly file: string;
}

/** The next file of this pass; of another, if there is none. */
type Next = (pass?: Pass) => Job | undefined;

export async function runPool(passes: readonly Pass[], options: PoolOptions): Promise<void> {
  const jobs: Job[] = passes.flatMap(pass => pass.files.map(file => ({ pass, file })));
  const next: Next = pass => {
    const same = jobs.findIndex(job => job.pass === pass);
    return jobs.splice(Math.max(same, 0), 1)[0];
  };
  const ranges = portRanges(Math.min(options.atOnce, jobs.length));
  await Promise.all(ranges.map(TEST_PORTS_FROM => work(next, { TEST_PORTS_FROM }, options)));
}

async function work(next: Next, env: NodeJS.ProcessEnv, options: PoolOptions): Promise<void> {
  let current: { readonly pass: Pass; readonly process: TestProcess } | undefined;
  for (let job = next(); job; job = next(current?.pass)) {
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

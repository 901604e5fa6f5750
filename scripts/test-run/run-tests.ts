/** Runs passes of tests and tells what became of them: for `npm test` and the runs on other databases. */
import { availableParallelism } from 'node:os';
import { installMeanwhile, needingFiles } from './needs.ts';
import { type Pass, runPool } from './pool.ts';
import { type NotRun, Report } from './report.ts';
import { FIXED_SEED } from './seed.ts';

export interface TestRun {
  readonly passes: readonly Pass[];
  /** Of one test. */
  readonly timeoutMs?: number;
  /** Only tests whose name has this in it. */
  readonly name?: string | undefined;
}

const TIMEOUT_MS = 300_000;
/** Three more than cores: they often wait, for a browser, a database, a process that starts. */
const AT_ONCE = availableParallelism() + 3;
/** So few files are told test by test. */
const TOLD_IN_FULL = 5;

/** Whether all tests passed. Where `CI` is set, a test that this machine cannot run is one that fails. */
export async function runTests({ passes, timeoutMs = TIMEOUT_MS, name }: TestRun): Promise<boolean> {
  // So that what stops servers and removes their data at the exit runs.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const needing = needingFiles([...new Set(passes.flatMap(({ files }) => files))]);
  const installed = installMeanwhile(needing);
  const amount = passes.reduce((sum, { files }) => sum + files.length, 0);
  const isVerbose = amount <= TOLD_IN_FULL;
  const report = new Report(isVerbose);
  const notRun = await runPool(passes, {
    ...{ atOnce: AT_ONCE, timeoutMs, name, isVerbose },
    waiting: { files: needing, installed },
    ended: ({ name }, result, output) => report.ended(name, result, output),
  });
  report.close(notRun, [`Seed of the random tests: TEST_SEED=${process.env.TEST_SEED ?? FIXED_SEED}`]);
  return !report.hasFailed && amount > 0 && !isRefused(notRun);
}

function isRefused(notRun: readonly NotRun[]): boolean {
  return notRun.length > 0 && process.env.CI === 'true';
}

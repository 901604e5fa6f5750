import type { Job, JobControl } from '../platform/jobs/job.ts';
import type { Services } from '../services.ts';

/** Starts the jobs of all capabilities (`jobs`) and returns a function that stops them. */
export function startJobs(services: Services): StopJobs {
  const stops = [startOwnJobs(services), startSharedJobs(services)];
  return async () => {
    await Promise.all(stops.map(stop => stop()));
  };
}

/** Starts nothing new, and resolves when what is under way, such as a mail, has ended or failed. */
export type StopJobs = () => Promise<void>;

/** The jobs that every process runs for itself. */
export function startOwnJobs(services: Services): StopJobs {
  return start(services, 'in every process');
}

/** The jobs that one process runs for all on its machine. */
export function startSharedJobs(services: Services): StopJobs {
  return start(services, 'once on a machine');
}

function start(services: Services, where: Job['runs']): StopJobs {
  let stopped = false;
  const wakes = new Map<string, () => void>();
  const stops = services.tables.jobs
    .filter(({ runs }) => runs === where)
    .map(({ name, everyMs, load }) => {
      const control: JobControl = { isStopped: () => stopped, wake: (other = name) => wakes.get(other)?.() };
      const job = retried(async () => (await load())(services, control));
      const run = async () => (await job.get()).run();
      const { tracing } = services;
      const wake = oneAtATime(services, name, tracing ? () => tracing.run(name, run) : run);
      wakes.set(name, wake);
      if (everyMs === undefined) job.get().catch(logFailure(services, name));
      const timer = everyMs === undefined ? undefined : every(everyMs, wake);
      return async () => {
        clearInterval(timer);
        await (await job.made())?.stop?.();
      };
    });
  return async () => {
    stopped = true;
    await Promise.all(stops.map(stop => stop()));
  };
}

/** What `make` resolves with, made once. Where that has failed, the next call tries again. */
function retried<Made>(make: () => Promise<Made>) {
  let making: Promise<Made> | undefined;
  const get = () => {
    making ??= make().catch(error => {
      making = undefined;
      throw error;
    });
    return making;
  };
  return { get, made: async () => making?.catch(() => undefined) };
}

/**
 * Runs `work` once at a time. A call during a run causes one more run after it. An error is logged, and the next run tries again.
 */
function oneAtATime(services: Services, name: string, work: () => Promise<void>): () => void {
  let isRunning = false;
  let mustRunAgain = false;
  const run = async (): Promise<void> => {
    mustRunAgain = isRunning;
    if (isRunning) return;
    isRunning = true;
    await work().catch(logFailure(services, name));
    isRunning = false;
    if (mustRunAgain) await run();
  };
  return () => void run();
}

function logFailure({ log }: Services, job: string): (error: Error) => void {
  return ({ message }) => log.warn('job.failed', { job, message });
}

function every(milliseconds: number, run: () => void): NodeJS.Timeout {
  run();
  return setInterval(run, milliseconds).unref();
}

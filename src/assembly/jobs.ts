import type { Job, JobControl, RunningJob } from '../platform/jobs/job.ts';
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
  const control = (name: string): JobControl => ({
    isStopped: () => stopped,
    wake: (other = name) => wakes.get(other)?.(),
  });
  const started = services.tables.jobs
    .filter(({ runs }) => runs === where)
    .map(job => startJob(services, job, control(job.name), wakes));
  return async () => {
    stopped = true;
    await Promise.all(started.map(stop => stop()));
  };
}

function startJob(
  services: Services,
  { name, everyMs, load }: Job,
  control: JobControl,
  wakes: Map<string, () => void>,
): StopJobs {
  let begun: Promise<RunningJob> | undefined;
  /** Where loading has failed, the next run tries again. */
  const begin = () => {
    begun ??= load().then(job => job(services, control));
    return begun.catch(error => {
      begun = undefined;
      throw error;
    });
  };
  const wake = oneAtATime(services, name, async () => (await begin()).run());
  wakes.set(name, wake);
  if (everyMs === undefined) begin().catch(logFailure(services, name));
  const timer = everyMs === undefined ? undefined : every(everyMs, wake);
  return async () => {
    clearInterval(timer);
    const job = await begun?.catch(() => undefined);
    await job?.stop?.();
  };
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

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
  const running = services.tables.jobs
    .filter(({ runs }) => runs === where)
    .map(({ name, everyMs, load }) => {
      const control: JobControl = { isStopped: () => stopped, wake: (other = name) => wakes.get(other)?.() };
      const started = load().then(begin => begin(services, control));
      const wake = oneAtATime(services, name, async () => (await started).run());
      wakes.set(name, wake);
      return { started, timer: everyMs === undefined ? undefined : every(everyMs, wake) };
    });
  return async () => {
    stopped = true;
    for (const { timer } of running) clearInterval(timer);
    await Promise.all(running.map(async ({ started }) => (await started).stop?.()));
  };
}

/**
 * Runs `work` once at a time. A call during a run causes one more run after it. An error is logged, and the next run tries again.
 */
function oneAtATime({ log }: Services, name: string, work: () => Promise<void>): () => void {
  let isRunning = false;
  let mustRunAgain = false;
  const run = async (): Promise<void> => {
    mustRunAgain = isRunning;
    if (isRunning) return;
    isRunning = true;
    try {
      await work();
    } catch (error) {
      log.warn('job.failed', { job: name, message: (error as Error).message });
    } finally {
      isRunning = false;
    }
    if (mustRunAgain) await run();
  };
  return () => void run();
}

function every(milliseconds: number, run: () => void): NodeJS.Timeout {
  run();
  return setInterval(run, milliseconds).unref();
}

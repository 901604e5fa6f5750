import type { Services } from '../../services.ts';

/** What the server does without a request. */
export interface Job {
  /** In the log. */
  readonly name: string;
  /** From the start on. Undefined: only when something asks for it (`wake`). */
  readonly everyMs: number | undefined;
  /** Several machines may run a job at the same time: each is safe for that. */
  readonly runs: 'in every process' | 'once on a machine';
  load(): Promise<StartJob>;
}

export type StartJob = (services: Services, control: JobControl) => RunningJob;

export interface RunningJob {
  /** Runs once at a time. What it throws is logged, and the next run tries again. */
  run(): Promise<void>;
  /** Resolves when what is under way has ended. */
  stop?(): Promise<void>;
}

export interface JobControl {
  isStopped(): boolean;
  /** Asks for another run, of this job or of the one with that name. */
  wake(name?: string): void;
}

/** A job without a state of its own: a function, from a module that is loaded when jobs start. */
export function jobOf<Name extends string>(
  about: Omit<Job, 'load'>,
  load: () => Promise<{ readonly [Each in NoInfer<Name>]: PlainJob }>,
  name: Name,
): Job {
  return {
    ...about,
    load: async () => {
      const work: PlainJob = (await load())[name];
      return (services, { isStopped }) => ({ run: () => work(services, isStopped) });
    },
  };
}

type PlainJob = (services: Services, isStopped: () => boolean) => Promise<void>;

/** What waits in the store, as a metric. Every node reads the same number. */
export interface WaitingGauge {
  readonly name: string;
  readonly help: string;
  count(store: Services['store']): Promise<number>;
}

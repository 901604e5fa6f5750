import type { Services } from '../../services.ts';
import type { Log } from '../observe/log.ts';
import type { JobControl, RunningJob, StartJob } from './job.ts';

/** Deliveries that one process makes at the same time, to one receiver and to all. */
export const MAX_PER_RECEIVER = 5;
export const MAX_CONCURRENT = 50;
/** Longer than one delivery can take. After a crash, another process takes the delivery when its lease has expired. */
export const LEASE_SECONDS = 60;

/** The deliveries of a job that are under way in this process, by receiver. */
export interface InFlight {
  readonly total: number;
  readonly isStopped: boolean;
  to(receiver: string): number;
  /** The receivers to whom as many are under way as `isEnough` says. */
  receiversWith(isEnough: (receiver: string, count: number) => boolean): readonly string[];
  /** Never fails: the lease of a delivery that does expires, and it is made again. */
  start(receiver: string, delivery: Promise<unknown>): void;
  /** Resolves when nothing is being delivered. */
  idle(): Promise<void>;
  stop(): void;
}

/** `wake` asks for another run of the job: there is a free slot. */
export function createInFlight({ log }: { readonly log: Log }, job: string, wake: () => void): InFlight {
  const running = new Map<string, Set<Promise<void>>>();
  let total = 0;
  let isStopped = false;
  return {
    get total() {
      return total;
    },
    get isStopped() {
      return isStopped;
    },
    to: receiver => running.get(receiver)?.size ?? 0,
    receiversWith: isEnough => [...running].filter(([name, { size }]) => isEnough(name, size)).map(([name]) => name),
    start(receiver, delivery) {
      const slots = running.get(receiver) ?? new Set();
      running.set(receiver, slots);
      const sending = delivery
        .catch(error => {
          // After the stop the store is closed.
          if (!isStopped) log.warn('job.failed', { job, message: (error as Error).message });
        })
        .then(() => {
          slots.delete(sending);
          if (slots.size === 0) running.delete(receiver);
          total--;
          if (!isStopped) wake();
        });
      slots.add(sending);
      total++;
    },
    async idle() {
      while (running.size > 0) await Promise.all([...running.values()].flatMap(slots => [...slots]));
    },
    stop() {
      isStopped = true;
    },
  };
}

/** A job that starts deliveries and does not wait for their answers. */
export interface Sender {
  /** Starts what is due. */
  run(): Promise<void>;
  /** Resolves when nothing is being delivered. */
  idle(): Promise<void>;
  stop(): void;
}

/** The sender as a job. */
export function senderJob(create: (services: Services, wake: () => void) => Sender): StartJob {
  return (services: Services, { wake }: JobControl): RunningJob => {
    const sender = create(services, () => wake());
    return {
      run: sender.run,
      stop: () => {
        sender.stop();
        return sender.idle();
      },
    };
  };
}

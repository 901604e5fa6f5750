import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Services } from '../../services.ts';
import { BoundedCache } from '../bounded-cache.ts';
import type { JobControl, RunningJob } from './job.ts';

/** Deliveries that one process makes at the same time, to one receiver and to all. */
const MAX_PER_RECEIVER = 5;
const MAX_CONCURRENT = 50;
const MAX_FAILING_RECEIVERS = 10_000;

/** Longer than one delivery can take (twice MAX_DELIVERY_MS). After a crash, another process takes the delivery when its lease has expired. */
export const LEASE_SECONDS = 60;
/** Of what is to be sent, and of sending it. The lease bounds both: a delivery that outlives its lease is made twice. */
export const MAX_DELIVERY_MS = 15_000;

/** How long a delivery waits for its receiver. */
export function deliveryTimeoutMs({ timeoutMs }: { readonly timeoutMs: number }): number {
  return Math.min(timeoutMs, MAX_DELIVERY_MS);
}

/** What waits in the store for the addresses of clients. */
export interface Deliveries<Item> {
  /** Leases the one that has been due for longest, of a receiver that is none of these. */
  take(busy: readonly string[]): Promise<Item | undefined>;
  receiverOf(item: Item): string;
  /** Resolves with whether the receiver has answered as it should. */
  deliver(item: Item): Promise<boolean>;
}

/** A client as a receiver. The code of an application has no space, so that no two clients have the same name. */
export function receiverName({ app, clientId }: { readonly app: string; readonly clientId: string }): string {
  return `${app} ${clientId}`;
}

export interface Sender {
  /** Starts what is due. Does not wait for the answers. */
  run(): Promise<void>;
  /** Resolves when nothing is being delivered. */
  idle(): Promise<void>;
  stop(): void;
}

/**
 * Starts deliveries as they are due and does not wait for their answers, so that a receiver that answers slowly delays no other: each has
 * MAX_PER_RECEIVER slots, and one while it fails. `wake` asks for another run: there is a free slot.
 */
export function createSender<Item>(
  { log }: Pick<Services, 'log'>,
  job: string,
  { take, receiverOf, deliver }: Deliveries<Item>,
  wake: () => void = () => {},
): Sender {
  const running = new Map<string, Set<Promise<void>>>();
  const failing = new BoundedCache<string, true>(MAX_FAILING_RECEIVERS);
  let total = 0;
  let stopped = false;

  const isBusy = (receiver: string, count: number) => count >= (failing.get(receiver) ? 1 : MAX_PER_RECEIVER);
  const busy = () => [...running].filter(([name, { size }]) => isBusy(name, size)).map(([name]) => name);

  const note = (receiver: string, isTaken: boolean): void => {
    if (isTaken) failing.delete(receiver);
    else failing.set(receiver, true);
  };

  const start = (item: Item): void => {
    const receiver = receiverOf(item);
    const slots = running.get(receiver) ?? new Set();
    running.set(receiver, slots);
    const sending = deliver(item)
      .then(isTaken => note(receiver, isTaken))
      .catch(error => {
        // The lease expires, and it is delivered again. After the stop the store is closed.
        if (!stopped) log.warn('job.failed', { job, message: (error as Error).message });
      })
      .then(() => {
        slots.delete(sending);
        if (slots.size === 0) running.delete(receiver);
        total--;
        if (!stopped) wake();
      });
    slots.add(sending);
    total++;
  };

  return {
    async run() {
      while (!stopped && total < MAX_CONCURRENT) {
        const item = await take(busy());
        if (item === undefined || stopped) return;
        start(item);
        // The embedded store is synchronous: requests get their turn between two deliveries.
        await nextTurn();
      }
    },
    async idle() {
      while (running.size > 0) await Promise.all([...running.values()].flatMap(slots => [...slots]));
    },
    stop() {
      stopped = true;
    },
  };
}

/** The sender as a job. */
export function senderJob(create: (services: Services, wake: () => void) => Sender) {
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

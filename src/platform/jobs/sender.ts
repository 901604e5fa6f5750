import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Services } from '../../services.ts';
import { BoundedCache } from '../bounded-cache.ts';
import { createInFlight, LEASE_SECONDS, MAX_CONCURRENT, MAX_PER_RECEIVER, type Sender } from './in-flight.ts';

const MAX_FAILING_RECEIVERS = 10_000;

/** Of making what is to be sent, and of sending it: twice this is less than LEASE_SECONDS, since a delivery that outlives its lease is made twice. */
export const MAX_DELIVERY_MS = 15_000;

/** How long a delivery waits for its receiver. */
export function deliveryTimeoutMs({ timeoutMs }: { readonly timeoutMs: number }): number {
  return Math.min(timeoutMs, MAX_DELIVERY_MS);
}

interface OfClient {
  readonly app: string;
  readonly clientId: string;
}

/** What waits in the store for the addresses of clients. */
export interface Deliveries<Item> {
  /** Leases those that have been due for longest. None for a client in `busy` (`receiverName`). */
  take(now: number, leaseUntil: number, limit: number, busy: readonly string[]): Promise<readonly Item[]>;
  /** Resolves with whether the receiver has answered as it should. */
  deliver(item: Item): Promise<boolean>;
}

/** A client as a receiver. The code of an application has no space, so that no two clients have the same name. */
function receiverName({ app, clientId }: OfClient): string {
  return `${app} ${clientId}`;
}

/**
 * Starts deliveries as they are due and does not wait for their answers, so that a client that answers slowly delays no other: each has
 * MAX_PER_RECEIVER slots, and one while it fails.
 */
export function createSender<Item extends OfClient>(
  services: Pick<Services, 'log' | 'clock'>,
  job: string,
  { take, deliver }: Deliveries<Item>,
  wake: () => void = () => {},
): Sender {
  const { clock } = services;
  const inFlight = createInFlight(services, job, wake);
  const failing = new BoundedCache<string, true>(MAX_FAILING_RECEIVERS);

  const isBusy = (receiver: string, count: number) => count >= (failing.get(receiver) ? 1 : MAX_PER_RECEIVER);
  const start = (item: Item): void => {
    const receiver = receiverName(item);
    const note = (isTaken: boolean) => void (isTaken ? failing.delete(receiver) : failing.set(receiver, true));
    inFlight.start(receiver, deliver(item).then(note));
  };

  return {
    async run() {
      while (!inFlight.isStopped && inFlight.total < MAX_CONCURRENT) {
        const now = clock.now();
        const [item] = await take(now, now + LEASE_SECONDS, 1, inFlight.receiversWith(isBusy));
        if (item === undefined || inFlight.isStopped) return;
        start(item);
        // The embedded store is synchronous: requests get their turn between two deliveries.
        await nextTurn();
      }
    },
    idle: inFlight.idle,
    stop: inFlight.stop,
  };
}

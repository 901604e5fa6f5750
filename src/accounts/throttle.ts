import type { Clock } from '../deps.ts';
import { callerNetwork } from '../network-address.ts';

/**
 * Slows down guessing, per account and per network address. Each has a bucket of attempts that refills slowly. An
 * attempt takes its place before the password is looked at, so that a thousand parallel guesses are counted as a
 * thousand; a success gives it back. Unknown names are counted like known ones: being throttled tells nothing.
 */
export interface Throttle {
  /** Seconds to wait, or undefined when the attempt may go on (and is counted). */
  admit(account: string, address: string): number | undefined | Promise<number | undefined>;
  succeeded(account: string, address: string): void;
  /** The attempt was not decided: give it back. */
  withdrawn(account: string, address: string): void;
}

/** Counts in this process. Where several serve one port, one of them counts for all (cli/workers.ts). */
export interface LocalThrottle extends Throttle {
  admit(account: string, address: string): number | undefined;
}

export interface Bucket {
  readonly attempts: number;
  /** Seconds until one attempt more is allowed. */
  readonly refill: number;
}

const PER_ACCOUNT: Bucket = { attempts: 10, refill: 30 };
const PER_ADDRESS: Bucket = { attempts: 100, refill: 3 };
const MOST_REMEMBERED = 50_000;

export function createThrottle(clock: Clock, perAccount = PER_ACCOUNT, perAddress = PER_ADDRESS): LocalThrottle {
  const accounts = new Buckets(perAccount);
  const addresses = new Buckets(perAddress);
  return {
    admit(account, address) {
      const now = clock.now();
      const network = callerNetwork(address);
      const wait = Math.max(accounts.waitFor(account, now), addresses.waitFor(network, now));
      if (wait > 0) return wait;
      accounts.take(account, now);
      addresses.take(network, now);
      return undefined;
    },
    succeeded(account, address) {
      accounts.reset(account);
      addresses.giveBack(callerNetwork(address));
    },
    withdrawn(account, address) {
      accounts.giveBack(account);
      addresses.giveBack(callerNetwork(address));
    },
  };
}

/** Leaky buckets: `fullAt` is the moment from which all attempts are there again. */
class Buckets {
  readonly #bucket: Bucket;
  readonly #fullAt = new Map<string, number>();

  constructor(bucket: Bucket) {
    this.#bucket = bucket;
  }

  waitFor(key: string, now: number): number {
    const debt = (this.#fullAt.get(key) ?? now) - now;
    return Math.max(0, debt - (this.#bucket.attempts - 1) * this.#bucket.refill);
  }

  take(key: string, now: number): void {
    const fullAt = Math.max(this.#fullAt.get(key) ?? now, now) + this.#bucket.refill;
    this.#fullAt.delete(key);
    this.#fullAt.set(key, fullAt);
    if (this.#fullAt.size > MOST_REMEMBERED) this.#makeRoom(now);
  }

  giveBack(key: string): void {
    const fullAt = this.#fullAt.get(key);
    if (fullAt !== undefined) this.#fullAt.set(key, fullAt - this.#bucket.refill);
  }

  reset(key: string): void {
    this.#fullAt.delete(key);
  }

  /** First those that have nothing to remember, then the one that failed longest ago. */
  #makeRoom(now: number): void {
    for (const [key, fullAt] of this.#fullAt) if (fullAt <= now) this.#fullAt.delete(key);
    const oldest = this.#fullAt.keys().next();
    if (this.#fullAt.size > MOST_REMEMBERED && !oldest.done) this.#fullAt.delete(oldest.value);
  }
}

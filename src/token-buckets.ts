export interface Bucket {
  /** As many attempts are free at once. */
  readonly attempts: number;
  /** Seconds until one attempt more is free. */
  readonly refill: number;
}

/** The most keys a set of buckets remembers, so that no caller can make it grow without end. */
const MAX_KEYS = 50_000;

/** A token bucket per key. `fullAt` is the moment from which all attempts of a key are free again; without one they are. */
export class TokenBuckets {
  readonly #bucket: Bucket;
  readonly #fullAt = new Map<string, number>();

  constructor(bucket: Bucket) {
    this.#bucket = bucket;
  }

  /** Seconds until an attempt is free; 0: one is. */
  waitFor(key: string, now: number): number {
    const debt = (this.#fullAt.get(key) ?? now) - now;
    return Math.max(0, debt - (this.#bucket.attempts - 1) * this.#bucket.refill);
  }

  take(key: string, now: number): void {
    const fullAt = Math.max(this.#fullAt.get(key) ?? now, now) + this.#bucket.refill;
    // At the end of the map, whose order is the order in which keys are forgotten.
    this.#fullAt.delete(key);
    this.#fullAt.set(key, fullAt);
    if (this.#fullAt.size > MAX_KEYS) this.#forgetOldest(now);
  }

  giveBack(key: string): void {
    const fullAt = this.#fullAt.get(key);
    if (fullAt !== undefined) this.#fullAt.set(key, fullAt - this.#bucket.refill);
  }

  reset(key: string): void {
    this.#fullAt.delete(key);
  }

  /** The key whose last attempt is the longest ago, and those after it that are full again. */
  #forgetOldest(now: number): void {
    for (const [key, fullAt] of this.#fullAt) {
      if (fullAt > now && this.#fullAt.size <= MAX_KEYS) return;
      this.#fullAt.delete(key);
    }
  }
}

export interface BucketLimits {
  /** The capacity of a bucket: so many attempts are possible at once. */
  readonly attempts: number;
  /** Seconds until a bucket regains one attempt. */
  readonly refillSeconds: number;
}

/** Limits the memory: when it is reached, the oldest keys are dropped. */
const MAX_KEYS = 50_000;
const KEYS_AFTER_DROP = MAX_KEYS - MAX_KEYS / 16;

/** A token bucket for each key. Only `fullAt` is stored, the time at which the bucket is full again; a key without it is full. */
export class TokenBuckets {
  readonly #limits: BucketLimits;
  readonly #fullAt = new Map<string, number>();

  constructor(limits: BucketLimits) {
    this.#limits = limits;
  }

  /** Seconds until the bucket has an attempt; 0: it has one now. */
  waitFor(key: string, now: number): number {
    const debt = (this.#fullAt.get(key) ?? now) - now;
    return Math.max(0, debt - (this.#limits.attempts - 1) * this.#limits.refillSeconds);
  }

  take(key: string, now: number): void {
    const fullAt = Math.max(this.#fullAt.get(key) ?? now, now) + this.#limits.refillSeconds;
    // Moves the key to the end of the map: keys are dropped from its front.
    this.#fullAt.delete(key);
    this.#fullAt.set(key, fullAt);
    if (this.#fullAt.size > MAX_KEYS) this.#dropOldest(now);
  }

  giveBack(key: string): void {
    const fullAt = this.#fullAt.get(key);
    if (fullAt !== undefined) this.#fullAt.set(key, fullAt - this.#limits.refillSeconds);
  }

  reset(key: string): void {
    this.#fullAt.delete(key);
  }

  /**
   * Drops the keys with the oldest attempts, and the keys after them whose buckets are full again. It drops many at once, because
   * finding the first key of a Map walks over the keys that were deleted before it (platform/bounded-cache.ts).
   */
  #dropOldest(now: number): void {
    for (const [key, fullAt] of this.#fullAt) {
      if (fullAt > now && this.#fullAt.size <= KEYS_AFTER_DROP) return;
      this.#fullAt.delete(key);
    }
  }
}

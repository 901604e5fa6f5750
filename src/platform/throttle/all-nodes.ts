import type { Clock } from '../deps.ts';
import { outsideRequest } from '../store/request-time.ts';
import type { Attempt } from './attempts.ts';
import type { AttemptBucket, AttemptKeys, FailedAttempts } from './failed-attempts.ts';
import { LIMITS, type Throttle, type ThrottleLimits } from './throttle.ts';

/**
 * Failed logins as all nodes count them together, in the store that they share (docs/decisions/throttling.md). It comes after the
 * throttle of the process, which needs no store.
 *
 * A right password writes nothing as long as the account is clear, that is, no failure is on record: one attempt at a time runs
 * *optimistically*, and takes from the buckets only if it was wrong. Further attempts in parallel, and all attempts after a failure, take from
 * the buckets before the password is compared. An optimistic attempt that was wrong and finds the buckets empty is answered as throttled,
 * so no more guesses get an answer than there are attempts, however many nodes there are. Hidden buckets change no answer: an attempt
 * that finds one empty takes from the others as any attempt does, and is never right.
 */
export interface SharedAttempts {
  read(keys: AttemptKeys): Promise<AttemptCounts>;
  /** Without counts, the attempt takes from the buckets at once. */
  admit(buckets: readonly SharedBucket[], counts: AttemptCounts | undefined): Promise<SharedAdmission>;
  readonly limits: ThrottleLimits;
}

/** By key, when the bucket is full again; full ones are not listed. */
export type AttemptCounts = ReadonlyMap<string, number>;

export interface SharedBucket extends AttemptBucket {
  /**
   * One that several accounts or browsers share, such as that of a caller's address, gets only this attempt back after a success, and is
   * clear as long as half of it is left.
   */
  readonly isCommon?: boolean;
  /** The answer must not tell that it is empty: that of an account would tell which names belong to it. */
  readonly isHidden?: boolean;
}

export type SharedAdmission =
  | { readonly kind: 'refused'; readonly wait: number }
  /** `isExhausted`: a hidden bucket is empty. The secret counts as wrong, whatever it is. */
  | { readonly kind: 'admitted'; readonly attempt: SharedAttempt; readonly isExhausted: boolean };

/** An admitted attempt. Exactly one of the three is called. */
export interface SharedAttempt {
  /** The failures before it are forgotten. */
  succeeded(): Promise<void>;
  /** Seconds to wait; above 0, other nodes have used up the attempts meanwhile, and the answer must not tell that this one was wrong. */
  failed(): Promise<number>;
  /** The secret was not compared. */
  withdrawn(): Promise<void>;
}

/** Of a store that the processes of one machine use: they count in memory. */
export const UNCOUNTED: SharedAttempt = {
  succeeded: async () => {},
  failed: async () => 0,
  withdrawn: async () => {},
};

export function createSharedAttempts(store: FailedAttempts, clock: Clock, limits = LIMITS): SharedAttempts {
  /** The first bucket of each optimistic attempt that is not yet decided. */
  const optimistic = new Set<string>();

  const takeAll = (buckets: readonly SharedBucket[]) =>
    Promise.all(buckets.map(bucket => store.takeAttempt(bucket, clock.now())));

  const startOptimistic = (buckets: readonly SharedBucket[]): SharedAttempt => {
    const [{ key } = { key: '' }] = buckets;
    optimistic.add(key);
    const release = async () => void optimistic.delete(key);
    return {
      succeeded: release,
      withdrawn: release,
      failed: async () => {
        try {
          return longestTold(buckets, await takeAll(buckets));
        } finally {
          optimistic.delete(key);
        }
      },
    };
  };

  const taken = (buckets: readonly SharedBucket[]): SharedAttempt => ({
    succeeded: async () => {
      await Promise.all(
        buckets.map(bucket => (bucket.isCommon ? store.giveBackAttempt(bucket) : store.resetAttempts(bucket.key))),
      );
    },
    failed: async () => 0,
    withdrawn: () => giveBack(buckets),
  });

  /** A store that cannot do it now must not hide the fault that made it necessary; the attempt then counts as failed. */
  const giveBack = async (buckets: readonly SharedBucket[]) => {
    await outsideRequest(() => Promise.all(buckets.map(bucket => store.giveBackAttempt(bucket)))).catch(() => {});
  };

  return {
    limits,
    read: keys => store.failedAttempts(keys),
    async admit(all, counts) {
      const now = clock.now();
      const waits = counts ? all.map(bucket => waitFor(bucket, counts, now)) : [];
      const known = longestTold(all, waits);
      if (known > 0) return { kind: 'refused', wait: known };
      const wasExhausted = waits.some(wait => wait > 0);
      // The others are taken from in any case, so that an empty hidden bucket changes neither the answer nor its time.
      const buckets = wasExhausted ? all.filter(({ isHidden }) => !isHidden) : all;
      const isClear = counts && !wasExhausted && buckets.every(bucket => isClearBucket(bucket, counts, now));
      if (isClear && !optimistic.has(buckets[0]?.key ?? '')) {
        return { kind: 'admitted', attempt: startOptimistic(buckets), isExhausted: false };
      }
      const taking = await takeAll(buckets);
      const wait = longestTold(buckets, taking);
      const given = buckets.filter((_, index) => taking[index] === 0);
      if (wait === 0) {
        const isExhausted = wasExhausted || given.length < buckets.length;
        return { kind: 'admitted', attempt: taken(given), isExhausted };
      }
      await giveBack(given);
      return { kind: 'refused', wait };
    },
  };
}

export interface Counting {
  readonly throttle: Throttle;
  readonly shared?: SharedAttempts | undefined;
}

export type CountedCode =
  | { readonly kind: 'refused'; readonly wait: number }
  | { readonly kind: 'admitted'; succeeded(): Promise<void> };

/** Counts a code that a person types, in this process and for all nodes, before it is compared. */
export async function countTypedCode<Typed extends Attempt>(
  { throttle, shared }: Counting,
  attempt: Typed,
  bucketsOf: (limits: ThrottleLimits, attempt: Typed) => readonly SharedBucket[],
): Promise<CountedCode> {
  const { wait } = await throttle.admit(attempt);
  if (wait > 0) return { kind: 'refused', wait };
  const common = shared && (await shared.admit(bucketsOf(shared.limits, attempt), undefined));
  if (common?.kind === 'refused') {
    throttle.withdrawn(attempt);
    return common;
  }
  const { succeeded } = common?.attempt ?? UNCOUNTED;
  return {
    kind: 'admitted',
    async succeeded() {
      throttle.succeeded(attempt);
      await succeeded();
    },
  };
}

/** Of the waits of these buckets, the longest that an answer may name. */
function longestTold(buckets: readonly SharedBucket[], waits: readonly number[]): number {
  return Math.max(0, ...waits.filter((_, index) => !buckets[index]?.isHidden));
}

function debtOf({ key }: SharedBucket, counts: AttemptCounts, now: number): number {
  return Math.max(0, (counts.get(key) ?? now) - now);
}

function waitFor(bucket: SharedBucket, counts: AttemptCounts, now: number): number {
  return Math.max(0, debtOf(bucket, counts, now) - (bucket.attempts - 1) * bucket.refillSeconds);
}

function isClearBucket(bucket: SharedBucket, counts: AttemptCounts, now: number): boolean {
  const half = (bucket.attempts * bucket.refillSeconds) / 2;
  return debtOf(bucket, counts, now) <= (bucket.isCommon ? half : 0);
}

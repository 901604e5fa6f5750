/**
 * Failed attempts at passwords and codes, counted for all nodes that share the store (all-nodes.ts). A bucket holds a
 * number of attempts and regains one every few seconds; `fullAt` is when it has all of them again. A bucket without a row is full.
 */
export interface FailedAttempts {
  /** Reads the buckets of an attempt, in one statement. Those that are not in the result are full. */
  failedAttempts(which: AttemptKeys): Promise<ReadonlyMap<string, number>>;
  /**
   * Takes one attempt. Parallel calls, on any number of nodes, take no more than the bucket has. Returns the seconds to wait; 0: it was
   * taken.
   */
  takeAttempt(bucket: AttemptBucket, now: number): Promise<number>;
  giveBackAttempt(bucket: AttemptBucket): Promise<void>;
  /** The bucket is full again. */
  resetAttempts(key: string): Promise<void>;
}

export interface AttemptKeys {
  /** Normalised (directory/users/login-name.rules.ts). If a user has it, `ofUser` are the ends of keys that begin with the user's `sub`. */
  readonly loginName: string | undefined;
  readonly ofUser: readonly string[];
  readonly others: readonly string[];
}

export interface AttemptBucket {
  readonly key: string;
  /** So many attempts are possible at once. */
  readonly attempts: number;
  /** Seconds until the bucket regains one. */
  readonly refillSeconds: number;
}

/**
 * How many requests of this process wait for servers of others at a time. Each of them has a place of the 256 (platform/http/concurrency-limit.ts)
 * until the other side answers, so that one slow server could take them all.
 */
export interface WaitLimit {
  /** What to call when the wait is over. Undefined: so many wait already that this one must not. */
  tryAcquire(): (() => void) | undefined;
}

export function createWaitLimit(max: number): WaitLimit {
  let waiting = 0;
  return {
    tryAcquire() {
      if (waiting >= max) return undefined;
      waiting++;
      return () => void waiting--;
    },
  };
}

import { StoreUnavailable } from '../store.ts';

/**
 * The operation exceeded its time, which counts from its own start. It may still be committed; the caller must treat the
 * outcome as unknown.
 */
export class OperationTimeout extends StoreUnavailable {}

/** How often operations are looked at whose time may be over. */
export const CHECK_INTERVAL_MS = 100;

export function isOver(startedAt: number, timeoutMs: number): boolean {
  return performance.now() - startedAt >= timeoutMs;
}

/** What several operations wait for, as long as this one has time left. */
export async function withinTime<T>(work: Promise<T>, startedAt: number, timeoutMs: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const left = startedAt + timeoutMs - performance.now();
  const timer = setTimeout(() => reject(new OperationTimeout('the database cannot be reached in time')), left);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

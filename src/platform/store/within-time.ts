import { StoreUnavailable } from './faults.ts';

/**
 * The operation exceeded its time, which counts from the arrival of its request, or from its own start. It may still be
 * committed; the caller must treat the outcome as unknown.
 */
export class OperationTimeout extends StoreUnavailable {}

/**
 * Waits for work that several requests share, until this request's own timeout: a request that has less time left does not
 * fail the others.
 */
export async function withinTime<T>(work: Promise<T>, startedAt: number, timeoutMs: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const left = Math.max(0, startedAt + timeoutMs - performance.now());
  const timer = setTimeout(() => reject(new OperationTimeout('the database cannot be reached in time')), left);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

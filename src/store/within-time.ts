import { StoreUnavailable } from './faults.ts';

/**
 * The operation exceeded its time, which counts from the arrival of its request, or from its own start. It may still be
 * committed; the caller must treat the outcome as unknown.
 */
export class OperationTimeout extends StoreUnavailable {}

/** What several wait for, as long as this one has time left: whoever started it may be older, and must not fail the others. */
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

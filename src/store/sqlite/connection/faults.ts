import { StoreUnavailable, StoreUnusable } from '../../faults.ts';

const SQLITE_BUSY = 5;

/** Another process holds the write lock; extended codes keep the kind of fault in their low byte. */
export function isBusy(error: unknown): boolean {
  const code = (error as { errcode?: number }).errcode;
  return code !== undefined && (code & 0xff) === SQLITE_BUSY;
}

/** As `asStoreFault`, when a file is opened: only a lock goes away by itself. */
export function asOpeningFault(error: unknown): unknown {
  const fault = asStoreFault(error);
  return fault instanceof StoreUnavailable && !isBusy(error)
    ? new StoreUnusable(fault.message, { cause: error })
    : fault;
}

/** An error of SQLite is a fault of the infrastructure; every other error stays unchanged. */
export function asStoreFault(error: unknown): unknown {
  if (error instanceof Error && (error as { code?: string }).code === 'ERR_SQLITE_ERROR') {
    return new StoreUnavailable(error.message, { cause: error });
  }
  return error;
}

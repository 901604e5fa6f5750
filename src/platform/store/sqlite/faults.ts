import { StoreUnavailable, StoreUnusable } from '../faults.ts';

const SQLITE_BUSY = 5;

/** Another process holds the write lock; extended codes keep the kind of fault in their low byte. */
export function isBusy(error: unknown): boolean {
  const code = (error as { errcode?: number }).errcode;
  return code !== undefined && (code & 0xff) === SQLITE_BUSY;
}

/** Why a file could not be opened: only a lock goes away by itself. */
export function openingFault(path: string, error: unknown, reason = (error as Error).message): Error {
  const Fault = isBusy(error) ? StoreUnavailable : StoreUnusable;
  return new Fault(`cannot open the database ${path}: ${reason}`, { cause: error });
}

/** An error of SQLite is a fault of the infrastructure; every other error stays unchanged. */
export function asStoreFault(error: unknown): unknown {
  if (error instanceof Error && (error as { code?: string }).code === 'ERR_SQLITE_ERROR') {
    return new StoreUnavailable(error.message, { cause: error });
  }
  return error;
}

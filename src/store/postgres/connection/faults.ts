import { DatabaseError } from 'pg';
import { RolledBack, StoreUnavailable } from '../../faults.ts';

/** The connection went away while something was under way: whether it was done is not known. */
export class ConnectionLost extends StoreUnavailable {}

/** It was given up, because nothing came for too long. The others may be as silent, and not have been noticed yet. */
export class ConnectionSilent extends ConnectionLost {}

/** Classes of SQLSTATE that tell of the server and not of the statement: PostgreSQL manual, appendix A. */
const OF_THE_SERVER = ['08', '25', '40', '53', '54', '55', '57', '58', 'F0', 'XX'];
/** Writing was refused: this server is a standby now, or was told to. */
const READ_ONLY = '25006';
/** Everything after one of these comes from a server that is going or gone. */
const GOING = ['57P01', '57P02', '57P03', '25006'];
/** 26000: a statement that failed to be parsed took the one behind it along. */
const TRY_AGAIN = ['40001', '40P01', '26000'];
const LOCK_NOT_AVAILABLE = '55P03';
const NO_SUCH_DATABASE = '3D000';
/** No partition of the table takes this row: it was dropped, and that it is there was remembered for too long. */
export const NO_PARTITION = '23514';

export function sqlState(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined;
}

/** The server itself says that the statement failed, so that nothing of its transaction was done. */
export function wasUndone(error: unknown): boolean {
  return stateOf(error) !== undefined;
}

/** Two transactions stood in each other's way, and this one gave way: doing it again is the answer. */
export function isConflict(error: unknown): boolean {
  return TRY_AGAIN.includes(stateOf(error) ?? '');
}

/** Somebody held a lock for longer than lock_timeout (hosts.ts). */
export function isLockTimeout(error: unknown): boolean {
  return stateOf(error) === LOCK_NOT_AVAILABLE;
}

/** Of what the server said, or of what asStoreFault made of it. */
function stateOf(error: unknown): string | undefined {
  return sqlState(error) ?? sqlState((error as Error).cause);
}

/** The server is there, but not for this role or database: waiting does not help. */
export function refusesUs(error: unknown): boolean {
  const state = sqlState(error) ?? '';
  return state.startsWith('28') || state === NO_SUCH_DATABASE;
}

/** Whether the connection is of no more use, although it still stands. */
export function isGoing(error: unknown): boolean {
  return GOING.includes(sqlState(error) ?? '');
}

/** A fault of the infrastructure becomes StoreUnavailable; one of ours, such as a wrong statement, stays what it is. */
export function asStoreFault(error: unknown): unknown {
  if (error instanceof StoreUnavailable || error instanceof RolledBack) return error;
  const { message } = error as Error;
  const state = sqlState(error);
  // The driver has no class for a connection that failed: whatever is not from the server is that.
  if (state === undefined) return new ConnectionLost(message, { cause: error });
  if (state === READ_ONLY) return new StoreUnavailable(`the database is read-only: ${message}`, { cause: error });
  const unavailable = state === NO_PARTITION || OF_THE_SERVER.includes(state.slice(0, 2));
  return unavailable ? new StoreUnavailable(message, { cause: error }) : error;
}

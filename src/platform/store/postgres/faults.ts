import { DatabaseError } from 'pg';
import { RolledBack, StoreUnavailable } from '../faults.ts';

/** The connection was lost during a query. It may have been committed; the outcome is unknown. */
export class ConnectionLost extends StoreUnavailable {}

/** The connection was closed after no answer for too long. The other connections may be dead as well, and not yet be noticed. */
export class ConnectionSilent extends ConnectionLost {}

/** Classes of SQLSTATE for faults of the server, not of the statement: PostgreSQL manual, appendix A. */
const OF_THE_SERVER = ['08', '25', '40', '53', '54', '55', '57', '58', 'F0', 'XX'];
/** Class of SQLSTATE: PostgreSQL manual, appendix A. */
const CONNECTION_EXCEPTION = '08';
/** The server refuses writes: it is a standby now, or an operator made it read-only. */
const READ_ONLY = '25006';
/** After one of these the connection is useless: the server shuts down, has crashed, starts up, or is a standby now. */
const GOING = ['57P01', '57P02', '57P03', '25006'];
/** 26000: in a pipeline, a statement that failed to parse makes the next one with the same name fail. */
const TRY_AGAIN = ['40001', '40P01', '26000'];
const LOCK_NOT_AVAILABLE = '55P03';
const UNIQUE_VIOLATION = '23505';
const NO_SUCH_DATABASE = '3D000';
/** No partition of the table takes this row: its partition was dropped after this process had cached that it exists. */
export const NO_PARTITION = '23514';

/**
 * What Citus says where the coordinator lost its connection to a worker, or a shard was moved while a statement ran on it. These have
 * no SQLSTATE of their own. The transaction was rolled back, or its outcome on the one worker is unknown: it can be run again, as after
 * a connection of our own was lost.
 */
const OF_A_WORKER = [
  /^failure on connection marked as essential: /,
  /^cannot execute a distributed query from a query on a shard/,
  /^connection to the remote node /,
];

export function sqlState(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined;
}

/** The server itself reported the error, so the transaction was rolled back. */
export function wasUndone(error: unknown): boolean {
  return stateOf(error) !== undefined && !(error instanceof ConnectionLost);
}

/** A pooler lost its connection to the server, or could not make one. It says so to its client and closes that connection too. */
function isLostByPooler(error: unknown): boolean {
  return error instanceof DatabaseError && error.severity === 'FATAL' && !!error.code?.startsWith(CONNECTION_EXCEPTION);
}

/** The server rolled this transaction back because of another one: it can be run again. */
export function isConflict(error: unknown): boolean {
  return TRY_AGAIN.includes(stateOf(error) ?? '');
}

/** Another transaction held a lock for longer than lock_timeout (hosts.ts). */
export function isLockTimeout(error: unknown): boolean {
  return stateOf(error) === LOCK_NOT_AVAILABLE;
}

/** The fault of a worker of a Citus cluster, or of the coordinator's connection to it. */
export function isWorkerFault(error: unknown): boolean {
  const reported = error instanceof DatabaseError ? error : (error as Error).cause;
  return reported instanceof DatabaseError && OF_A_WORKER.some(message => message.test(reported.message));
}

export function isUniqueViolation(error: unknown): boolean {
  return sqlState(error) === UNIQUE_VIOLATION;
}

/** The SQLSTATE of an error of the server, or of the fault that asStoreFault made of it. */
function stateOf(error: unknown): string | undefined {
  return sqlState(error) ?? sqlState((error as Error).cause);
}

/** The server refuses this role or database: waiting does not help. */
export function refusesUs(error: unknown): boolean {
  const state = sqlState(error) ?? '';
  return state.startsWith('28') || state === NO_SUCH_DATABASE;
}

/** Whether the connection is useless from now on, although it is still open. */
export function isGoing(error: unknown): boolean {
  return GOING.includes(sqlState(error) ?? '');
}

/** A fault of the infrastructure becomes StoreUnavailable; a fault of this program, such as wrong SQL, stays unchanged. */
export function asStoreFault(error: unknown): unknown {
  if (error instanceof StoreUnavailable || error instanceof RolledBack) return error;
  const { message } = error as Error;
  const state = sqlState(error);
  // The driver has no class for a failed connection: every error that is not from the server is one.
  if (state === undefined || isLostByPooler(error)) return new ConnectionLost(message, { cause: error });
  if (state === READ_ONLY) return new StoreUnavailable(`the database is read-only: ${message}`, { cause: error });
  const unavailable = state === NO_PARTITION || OF_THE_SERVER.includes(state.slice(0, 2));
  return unavailable ? new StoreUnavailable(message, { cause: error }) : error;
}

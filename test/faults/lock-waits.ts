import { onCitus } from '../build/citus.ts';

const WAITING = `SELECT count(*) > 0 AS result FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

/** Whether a statement waits for a row, as `result`. On a Citus cluster the row is on a worker, and so is who waits for it. */
export const isWaitingSql = onCitus
  ? `SELECT bool_or(result = 't') AS result FROM run_command_on_workers($$${WAITING}$$)`
  : WAITING;

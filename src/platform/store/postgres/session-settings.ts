/** Settings of PostgreSQL by their names. */
export type SessionSettings = Readonly<Record<string, string | number>>;

/**
 * Every statement of a request is a lookup by key, so a plan is made once and never becomes a table scan because old statistics
 * call the table small.
 */
export const PLANNER_SETTINGS = {
  jit: 'off',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
} as const;
export const PLAN_SETTINGS: SessionSettings = { plan_cache_mode: 'force_generic_plan', ...PLANNER_SETTINGS };

/**
 * Citus chooses the worker by the values, so it needs a plan for each execution. One connection from here to each worker: a
 * statement on all shards, as at a logout, would open one for each shard, and a transaction could not write users after it.
 */
const CITUS_SETTINGS: SessionSettings = {
  plan_cache_mode: 'force_custom_plan',
  'citus.max_adaptive_executor_pool_size': 1,
  'citus.multi_shard_modify_mode': 'sequential',
};

/**
 * No statement outlives its request. lock_timeout is shorter, because a group of writes is then rolled back and each write is
 * tried alone, which needs time as well.
 */
export function timeoutSettings(timeoutMs: number): SessionSettings {
  return {
    statement_timeout: Math.ceil(timeoutMs),
    lock_timeout: Math.ceil(timeoutMs / 4),
    idle_in_transaction_session_timeout: Math.ceil(2 * timeoutMs),
  };
}

export function requestSettings(timeoutMs: number, isCitus = false): SessionSettings {
  return { ...timeoutSettings(timeoutMs), ...PLAN_SETTINGS, ...(isCitus && CITUS_SETTINGS) };
}

/** The defaults of PostgreSQL. Not by RESET: the role may have the settings of requests. */
const DEFAULTS: SessionSettings = {
  statement_timeout: 0,
  idle_in_transaction_session_timeout: 0,
  plan_cache_mode: 'auto',
  enable_seqscan: 'on',
  enable_hashjoin: 'on',
  enable_mergejoin: 'on',
};

/** Without the limits of a request, except for locks. */
export function maintenanceSettings(timeoutMs: number, isCitus = false): SessionSettings {
  return { ...DEFAULTS, lock_timeout: Math.ceil(timeoutMs), ...(isCitus && CITUS_SETTINGS) };
}

export function toSet(settings: SessionSettings): string {
  return Object.entries(settings)
    .map(([name, value]) => `SET ${name} = ${value};`)
    .join(' ');
}

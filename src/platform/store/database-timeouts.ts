/** The default of DATABASE_TIMEOUT: the time that all database operations of a request have, from its arrival. */
export const DEFAULT_TIMEOUT_MS = 5000;

/** How long the server's start and commands wait for a database that cannot be reached, or is too busy to answer. */
export const OPEN_TIMEOUT_MS = 30_000;

/** How long one attempt to open SQLite waits. The call blocks the process, so several short ones allow messages in between. */
export const OPEN_ATTEMPT_MS = 1000;

/** Reports the reason of a wait; undefined: there is no wait. */
export type WaitsFor = (reason: string | undefined) => void;

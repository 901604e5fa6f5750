/** For a request, from its arrival: the default of DATABASE_TIMEOUT. */
export const DEFAULT_TIMEOUT_MS = 5000;

/** How long the start and commands wait for a database that is not there yet, or too busy to answer. */
export const OPEN_TIMEOUT_MS = 30_000;

/** SQLite waits inside a call, in which nothing can be said: it is called again and again, for so long each time. */
export const OPEN_ATTEMPT_MS = 1000;

/** Says what is being waited for; undefined: nothing, it is at work. */
export type WaitsFor = (reason: string | undefined) => void;

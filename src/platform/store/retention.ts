/**
 * How long what several places must agree on is kept after its end, in seconds, and how seldom it is recorded that a session or grant is still
 * in use. What concerns one table alone is in its declaration (tables.ts).
 */

/** Redeemed codes are kept for a day, so that a late replay is recognised. */
export const CODE_RETENTION_SECONDS = 86_400;

/** A grant is kept for this much longer than its tokens, so that one that is refreshed every hour is not written every hour. */
export const GRANT_SLACK_SECONDS = 86_400;

/** A session used again within this many seconds is not written again. */
export const IDLE_STEP_SECONDS = 60;

/**
 * How long the end of a session and the withdrawal of a consent are recorded: longer than any request takes and any code lives
 * (300 s).
 */
export const END_RETENTION_SECONDS = 3600;

/** How long it is recorded that a login form was used: longer than the form is valid, so that it cannot be sent twice. */
export const SPENT_LOGIN_RETENTION_SECONDS = 3600;

/** How long it is recorded that an identifier was used, after the last moment at which it was valid: longer than any request takes. */
export const USED_ID_RETENTION_SECONDS = 600;

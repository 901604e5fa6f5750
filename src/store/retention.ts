/** How long stores keep what has ended, in seconds, and how coarsely they note that something is still in use. */

/** Redeemed codes stay known for a day, so that a late replay is still recognised as one. */
export const CODE_KEPT = 86_400;

/** How much longer than its tokens a grant is kept, so that one refreshed every hour is not rewritten every hour. */
export const GRANT_SLACK = 86_400;

/** A session used again within this many seconds is not written again. */
export const IDLE_STEP = 60;

/** That a session has ended, or a consent was withdrawn, is remembered for longer than any request is on its way and any code lives (300 s). */
export const ENDED_KEPT = 3600;

/** Longer than any login page lives, so that its form cannot be sent again. */
export const SPENT_LOGIN_KEPT = 3600;

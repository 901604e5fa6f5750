/** How long stores keep rows after their end, in seconds, and how seldom they record that a session or grant is still in use. */

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

/** How long a refused request can be explained: a week, so that what happened on a Friday can be asked on the next Thursday. */
export const REFUSAL_RETENTION_SECONDS = 604_800;
/** Finished deliveries of webhooks can be listed and repeated for 30 days. */
export const DELIVERY_RETENTION_SECONDS = 2_592_000;

/** A node that stopped without saying so is shown for a day. */
export const NODE_RETENTION_SECONDS = 86_400;

/** Mails after their end: the job that sends them gives them up and logs it. Without such a job they are deleted all the same. */
export const MAIL_RETENTION_SECONDS = 3600;

/** A device that polls after the end of its code is told that it has expired (RFC 8628 section 3.5), and not that it never was. */
export const DEVICE_RETENTION_SECONDS = 3600;

/**
 * Signing keys without an outage. A key is published before it signs, for longer than clients keep a key set, and stays
 * published after its successor took over, until the last token it signed has expired. So whoever keeps to the cache
 * headers of the key set never meets an unknown `kid`.
 */
export interface ScheduledKey {
  readonly alg: string;
  /** From then on it signs, until a later key of its algorithm does. */
  readonly signFrom: number;
}

/** How long clients may keep the key set. */
export const KEY_SET_MAX_AGE = 300;
/** A day is ample for caches that keep it longer than they should. */
export const PUBLISH_AHEAD = 86_400;
export const ROTATE_EVERY = 90 * 86_400;
/** Old keys still recognise an expired id_token_hint for a while after they left the key set. */
export const KEPT_FOR_HINTS = 30 * 86_400;

/**
 * The key of this algorithm that signs now: the one that began last. Where none has begun yet, the clock of another node
 * is ahead of ours, and the first to begin will do.
 */
export function signingKey<K extends ScheduledKey>(keys: readonly K[], alg: string, now: number): K | undefined {
  const ordered = keys.filter(key => key.alg === alg).sort((one, other) => one.signFrom - other.signFrom);
  return ordered.findLast(key => key.signFrom <= now) ?? ordered[0];
}

/** All keys that a token alive now may be signed with, or will be before the key set is read again. */
export function publishedKeys<K extends ScheduledKey>(keys: readonly K[], now: number, longestToken: number): K[] {
  return keys.filter(key => now < endOfUse(keys, key) + longestToken + KEY_SET_MAX_AGE);
}

/** Keys that nothing refers to any more. */
export function forgottenKeys<K extends ScheduledKey>(keys: readonly K[], now: number, longestToken: number): K[] {
  return keys.filter(key => now >= endOfUse(keys, key) + longestToken + KEPT_FOR_HINTS);
}

/** Is it time to publish the successor of the newest key of this algorithm? */
export function nextKeyDue(keys: readonly ScheduledKey[], alg: string, now: number): boolean {
  const newest = Math.max(...keys.filter(key => key.alg === alg).map(key => key.signFrom));
  return newest + ROTATE_EVERY - PUBLISH_AHEAD <= now;
}

/** When a later key of the same algorithm took over; never, for the newest. */
function endOfUse(keys: readonly ScheduledKey[], key: ScheduledKey): number {
  const later = keys.filter(other => other.alg === key.alg && other.signFrom > key.signFrom);
  return Math.min(...later.map(other => other.signFrom));
}

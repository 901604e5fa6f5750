/**
 * Signing keys without an outage. A key is published before it signs, for longer than clients keep a key set, and stays
 * published after its successor took over, until the last token it signed has expired. So whoever keeps to the cache
 * headers of the key set never meets an unknown `kid`. Keys of an algorithm that no client uses any more retire: they go in
 * the same way, those that have signed nothing at once, and an algorithm that comes back gets a new key.
 */
export interface ScheduledKey {
  readonly alg: string;
  /** From then on it signs, until a later key of its algorithm does. */
  readonly signFrom: number;
  /** Since then nothing asks for its algorithm. */
  readonly retiredAt: number | undefined;
  /** Whether a token may exist that it signed. */
  readonly hasSigned: boolean;
}

/** How long clients may keep the key set. */
export const KEY_SET_MAX_AGE_SECONDS = 300;
/** A day is ample for caches that keep it longer than they should. */
export const PUBLISH_AHEAD_SECONDS = 86_400;
export const ROTATION_INTERVAL_SECONDS = 90 * 86_400;
/** Old keys still recognise an expired id_token_hint for a while after they left the key set. */
export const KEY_RETENTION_SECONDS = 30 * 86_400;

/**
 * The key of this algorithm that signs now: the one that began last. Where none has begun yet, the clock of another node
 * is ahead of ours, and the first to begin will do. Where all have retired just now, this node may not have heard yet that
 * the algorithm is not used any more: the tokens it signs meanwhile expire while the key is still published.
 */
export function signingKey<K extends ScheduledKey>(keys: readonly K[], alg: string, now: number): K | undefined {
  const current = currentKeys(keys, alg);
  const justRetired = () => keys.filter(key => key.alg === alg && now < (key.retiredAt ?? 0) + KEY_SET_MAX_AGE_SECONDS);
  const ordered = (current.length > 0 ? current : justRetired()).sort((one, other) => one.signFrom - other.signFrom);
  return ordered.findLast(key => key.signFrom <= now) ?? ordered[0];
}

/** Those of an algorithm that sign, signed or will sign for the clients it has; empty: a key must be made. */
export function currentKeys<K extends ScheduledKey>(keys: readonly K[], alg: string): K[] {
  return keys.filter(key => key.alg === alg && key.retiredAt === undefined);
}

/** All keys that a token alive now may be signed with, or will be before the key set is read again. */
export function publishedKeys<K extends ScheduledKey>(
  keys: readonly K[],
  now: number,
  longestToken: number,
  /** The algorithms that clients of the application use, and its default. */
  inUse: readonly string[],
): K[] {
  const mayStillSign = (key: K) => key.retiredAt === undefined && inUse.includes(key.alg);
  return keys.filter(
    key => (key.hasSigned || mayStillSign(key)) && now < endOfUse(keys, key) + longestToken + KEY_SET_MAX_AGE_SECONDS,
  );
}

/** Keys that nothing refers to any more. */
export function deletableKeys<K extends ScheduledKey>(keys: readonly K[], now: number, longestToken: number): K[] {
  return keys.filter(key => now >= endOfUse(keys, key) + longestToken + KEY_RETENTION_SECONDS);
}

/** Is it time to publish the successor of the newest key of this algorithm, or is there none at all? */
export function isNextKeyDue(keys: readonly ScheduledKey[], alg: string, now: number): boolean {
  const newest = Math.max(...currentKeys(keys, alg).map(key => key.signFrom));
  return newest + ROTATION_INTERVAL_SECONDS - PUBLISH_AHEAD_SECONDS <= now;
}

/** When a later key of the same algorithm took over, or all of them retired; never, for the newest of one in use. */
function endOfUse(keys: readonly ScheduledKey[], key: ScheduledKey): number {
  const later = keys.filter(other => other.alg === key.alg && other.signFrom > key.signFrom && everSigns(other));
  return Math.min(...later.map(other => other.signFrom), key.retiredAt ?? Number.POSITIVE_INFINITY);
}

/** A key that retired while it was waiting to sign takes over from none. */
function everSigns({ signFrom, retiredAt }: ScheduledKey): boolean {
  return signFrom < (retiredAt ?? Number.POSITIVE_INFINITY);
}

/**
 * Rotation of signing keys without an outage. A key is published before it signs, for longer than clients cache the key set. It
 * stays published after its successor has taken over, until the last token it signed has expired. So a client that respects the
 * cache headers of the key set always knows the `kid` of a valid token.
 *
 * The states of a key: published ──signFrom──▶ signing ──a later key signs──▶ published ──last token expired──▶ retained (for
 * id_token_hint) ──▶ deleted. A key of an algorithm that no client uses any more is retired: it stops signing and then takes the
 * same path; if it has signed nothing, it leaves the key set at once. If the algorithm is used again, a new key is made.
 */
export interface ScheduledKey {
  readonly alg: string;
  /** From this time the key signs, until a later key of its algorithm takes over. */
  readonly signFrom: number;
  /** Since this time no client uses its algorithm. */
  readonly retiredAt: number | undefined;
  /** Whether the key may have signed a token. */
  readonly hasSigned: boolean;
}

type KeyTimes = Pick<ScheduledKey, 'alg' | 'signFrom' | 'retiredAt'>;

/** How long clients may cache the key set (Cache-Control of /jwks). */
export const KEY_SET_MAX_AGE_SECONDS = 300;
/** One day: much longer than the cache time, for caches that ignore it. */
export const PUBLISH_AHEAD_SECONDS = 86_400;
export const ROTATION_INTERVAL_SECONDS = 90 * 86_400;
/** How long a key is retained after it has left the key set, so that an expired ID token is still accepted as id_token_hint. */
export const KEY_RETENTION_SECONDS = 30 * 86_400;

/** Of what is signed beside tokens: responses of JARM and identity assertions (300 s), logout tokens (120 s). */
const SHORT_LIVED_SECONDS = 300;

export interface TokenTtls {
  readonly id_token_ttl: number;
  readonly access_token_ttl: number;
  /** Null: as the application has it. */
  readonly apis?: readonly { readonly access_token_ttl?: number | null | undefined }[] | null | undefined;
}

/** Of all that the keys of an application sign. */
export function longestTokenTtl({ id_token_ttl, access_token_ttl, apis }: TokenTtls): number {
  const ofApis = (apis ?? []).map(api => api.access_token_ttl ?? 0);
  return Math.max(SHORT_LIVED_SECONDS, id_token_ttl, access_token_ttl, ...ofApis);
}

/**
 * The key of this algorithm that signs now: the one with the latest `signFrom` that has passed. If none has passed, the clock of
 * another node is ahead, and the earliest key is used. If all were retired less than KEY_SET_MAX_AGE_SECONDS ago, this node may
 * not know yet that the algorithm is unused, and still signs: those tokens expire while the key is published.
 */
export function signingKey<K extends ScheduledKey>(keys: readonly K[], alg: string, now: number): K | undefined {
  const current = currentKeys(keys, alg);
  const justRetired = () => keys.filter(key => key.alg === alg && now < (key.retiredAt ?? 0) + KEY_SET_MAX_AGE_SECONDS);
  const ordered = (current.length > 0 ? current : justRetired()).sort((one, other) => one.signFrom - other.signFrom);
  return ordered.findLast(key => key.signFrom <= now) ?? ordered[0];
}

/** The keys of an algorithm that are not retired: they sign, have signed or will sign. If there is none, a key must be made. */
export function currentKeys<K extends ScheduledKey>(keys: readonly K[], alg: string): K[] {
  return keys.filter(key => key.alg === alg && key.retiredAt === undefined);
}

/** All keys that a valid token may be signed with, now or before clients read the key set again. */
export function publishedKeys<K extends ScheduledKey>(
  keys: readonly K[],
  now: number,
  longestTtl: number,
  /** The algorithms that clients of the application use, and its default. */
  inUse: readonly string[],
): K[] {
  const mayStillSign = (key: K) => key.retiredAt === undefined && inUse.includes(key.alg);
  return keys.filter(key => (key.hasSigned || mayStillSign(key)) && now < publishedUntil(keys, key, longestTtl));
}

/** When the last token that the key signed has expired and clients have read the key set again; Infinity while it may sign. */
export function publishedUntil(keys: readonly KeyTimes[], key: KeyTimes, longestTtl: number): number {
  return endOfUse(keys, key) + longestTtl + KEY_SET_MAX_AGE_SECONDS;
}

/** Keys that no valid token or id_token_hint can need any more. */
export function deletableKeys<K extends ScheduledKey>(keys: readonly K[], now: number, longestTtl: number): K[] {
  return keys.filter(key => now >= endOfUse(keys, key) + longestTtl + KEY_RETENTION_SECONDS);
}

/** Whether the successor of the newest key of this algorithm is due to be published, or there is no key at all. */
export function isNextKeyDue(keys: readonly ScheduledKey[], alg: string, now: number): boolean {
  const newest = Math.max(...currentKeys(keys, alg).map(key => key.signFrom));
  return nextKeyDueAt(newest) <= now;
}

/** When the successor of a key is due to be published. */
export function nextKeyDueAt(signFrom: number): number {
  return signFrom + ROTATION_INTERVAL_SECONDS - PUBLISH_AHEAD_SECONDS;
}

/** The time at which a later key of the same algorithm took over, or the key was retired; Infinity for the newest current key. */
export function endOfUse(keys: readonly KeyTimes[], key: KeyTimes): number {
  const later = keys.filter(other => other.alg === key.alg && other.signFrom > key.signFrom && isEverUsed(other));
  return Math.min(...later.map(other => other.signFrom), key.retiredAt ?? Number.POSITIVE_INFINITY);
}

/** Whether the key's turn to sign came before it was retired. A key that was retired before never takes over. */
function isEverUsed({ signFrom, retiredAt }: KeyTimes): boolean {
  return signFrom < (retiredAt ?? Number.POSITIVE_INFINITY);
}

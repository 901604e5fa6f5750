import { BoundedCache } from '../bounded-cache.ts';
import type { Clock } from '../deps.ts';
import type { WaitLimit } from './wait-limit.ts';

/**
 * Documents that clients publish, by address. Each is fetched once at a time and used for as long as its headers say, within limits.
 * Requests that name something unknown, such as an invented `kid`, cause a fetch every REFRESH_INTERVAL_SECONDS at most, and a failure
 * is remembered for FAILURE_SECONDS: nobody can make this server send many requests to another one. Whoever waits for a document counts
 * in `waiting`, also for one that is being fetched already.
 */
export interface DocumentCache<T> {
  read(url: string): Promise<CachedDocument<T>>;
  /** What `read` would give without sending a request of its own; undefined: it would send one. */
  present(url: string): Promise<CachedDocument<T>> | undefined;
  /** A newer one than `known`; undefined if it was fetched less than REFRESH_INTERVAL_SECONDS ago. */
  readNewer(url: string, known: CachedDocument<T>): Promise<CachedDocument<T> | undefined>;
}

export type CachedDocument<T> = Times &
  ({ readonly kind: 'read'; readonly document: T } | { readonly kind: 'failed'; readonly reason: string });

interface Times {
  readonly fetchedAt: number;
  readonly freshUntil: number;
}

/** `maxAge`: seconds for which it may be used, as its headers say; undefined: they do not say. */
export type Loaded<T> =
  | { readonly kind: 'read'; readonly document: T; readonly maxAge: number | undefined }
  | { readonly kind: 'failed'; readonly reason: string };

const MAX_DOCUMENTS = 1000;
const DEFAULT_SECONDS = 300;
const MIN_SECONDS = 60;
/** A key that its client has withdrawn is good for no longer. */
const MAX_SECONDS = 3600;
export const FAILURE_SECONDS = 30;
const REFRESH_INTERVAL_SECONDS = 10;
/** Each takes a connection and waits as long as a document may take. */
const MAX_PENDING = 100;

export function createDocumentCache<T>(
  clock: Clock,
  waiting: WaitLimit,
  loadFrom: (url: string) => Promise<Loaded<T>>,
  maxDocuments = MAX_DOCUMENTS,
): DocumentCache<T> {
  const cache = new BoundedCache<string, CachedDocument<T>>(maxDocuments);
  const pending = new Map<string, Promise<CachedDocument<T>>>();

  const load = async (url: string): Promise<CachedDocument<T>> => {
    const next = withTimes(await loadFrom(url), clock.now());
    const present = cache.get(url);
    // One that is still fresh outlives a failed attempt to get a newer one.
    const isKept = next.kind === 'failed' && present?.kind === 'read' && present.freshUntil > next.fetchedAt;
    const stored = isKept ? { ...present, fetchedAt: next.fetchedAt } : next;
    cache.set(url, stored);
    return stored;
  };
  const loadOnce = (url: string): Promise<CachedDocument<T>> => {
    const started = pending.get(url);
    if (started) return started;
    if (pending.size >= MAX_PENDING) return Promise.resolve(tooMany(clock.now()));
    const loading = load(url).finally(() => pending.delete(url));
    pending.set(url, loading);
    return loading;
  };
  const waitFor = (url: string): Promise<CachedDocument<T>> => {
    const release = waiting.tryAcquire();
    return release ? loadOnce(url).finally(release) : Promise.resolve(tooMany(clock.now()));
  };
  const present: DocumentCache<T>['present'] = url => {
    const cached = cache.get(url);
    if (cached && cached.freshUntil > clock.now()) return Promise.resolve(cached);
    return pending.has(url) ? waitFor(url) : undefined;
  };

  return {
    present,
    read: async url => present(url) ?? waitFor(url),
    async readNewer(url, known) {
      const present = cache.get(url) ?? known;
      if (present.fetchedAt > known.fetchedAt) return present;
      return clock.now() - present.fetchedAt < REFRESH_INTERVAL_SECONDS ? undefined : waitFor(url);
    },
  };
}

function withTimes<T>(loaded: Loaded<T>, now: number): CachedDocument<T> {
  if (loaded.kind === 'failed') return { ...loaded, fetchedAt: now, freshUntil: now + FAILURE_SECONDS };
  const { maxAge, ...read } = loaded;
  const seconds = Math.min(MAX_SECONDS, Math.max(MIN_SECONDS, maxAge ?? DEFAULT_SECONDS));
  return { ...read, fetchedAt: now, freshUntil: now + seconds };
}

/** Not remembered: the next request may find a place. */
function tooMany<T>(now: number): CachedDocument<T> {
  return { kind: 'failed', reason: 'too many requests wait for documents', fetchedAt: now, freshUntil: now };
}

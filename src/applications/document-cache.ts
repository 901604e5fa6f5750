import { BoundedCache } from '../bounded-cache.ts';
import type { Clock } from '../deps.ts';

/**
 * Documents that clients publish, by address. Each is fetched once at a time and used for as long as its headers say, within limits.
 * Requests that name something unknown, such as an invented `kid`, cause a fetch every REFRESH_INTERVAL_SECONDS at most, and a failure
 * is remembered for FAILURE_SECONDS: nobody can make this server send many requests to another one.
 */
export interface DocumentCache<T> {
  read(url: string): Promise<CachedDocument<T>>;
  /** A newer one than `known`; undefined if it was fetched less than REFRESH_INTERVAL_SECONDS ago. */
  readNewer(url: string, known: CachedDocument<T>): Promise<CachedDocument<T> | undefined>;
}

export type CachedDocument<T> = Times &
  ({ readonly kind: 'read'; readonly document: T } | { readonly kind: 'failed'; readonly reason: string });

interface Times {
  readonly fetchedAt: number;
  readonly freshUntil: number;
}

/** What `outbound/document.ts` returns. */
export type Fetched =
  | { readonly kind: 'fetched'; readonly text: string; readonly maxAge: number | undefined }
  | { readonly kind: 'failed'; readonly reason: string };

const MAX_DOCUMENTS = 1000;
const DEFAULT_SECONDS = 300;
const MIN_SECONDS = 60;
/** A key that its client has withdrawn is good for no longer. */
const MAX_SECONDS = 3600;
const FAILURE_SECONDS = 30;
const REFRESH_INTERVAL_SECONDS = 10;

export function createDocumentCache<T>(
  clock: Clock,
  fetchFrom: (url: string) => Promise<Fetched>,
  /** Undefined: it is no such document. */
  parse: (text: string) => T | undefined,
): DocumentCache<T> {
  const cache = new BoundedCache<string, CachedDocument<T>>(MAX_DOCUMENTS);
  const pending = new Map<string, Promise<CachedDocument<T>>>();

  const load = async (url: string): Promise<CachedDocument<T>> => {
    const fetched = await fetchFrom(url);
    const next = judged(fetched, parse, clock.now());
    const present = cache.get(url);
    // One that is still fresh outlives a failed attempt to get a newer one.
    const isKept = next.kind === 'failed' && present?.kind === 'read' && present.freshUntil > next.fetchedAt;
    const stored = isKept ? { ...present, fetchedAt: next.fetchedAt } : next;
    cache.set(url, stored);
    return stored;
  };
  const loadOnce = (url: string): Promise<CachedDocument<T>> => {
    const loading = pending.get(url) ?? load(url).finally(() => pending.delete(url));
    pending.set(url, loading);
    return loading;
  };

  return {
    async read(url) {
      const present = cache.get(url);
      return present && present.freshUntil > clock.now() ? present : loadOnce(url);
    },
    async readNewer(url, known) {
      const present = cache.get(url) ?? known;
      if (present.fetchedAt > known.fetchedAt) return present;
      return clock.now() - present.fetchedAt < REFRESH_INTERVAL_SECONDS ? undefined : loadOnce(url);
    },
  };
}

function judged<T>(fetched: Fetched, parse: (text: string) => T | undefined, now: number): CachedDocument<T> {
  const document = fetched.kind === 'fetched' ? parse(fetched.text) : undefined;
  if (fetched.kind === 'fetched' && document !== undefined) {
    const seconds = Math.min(MAX_SECONDS, Math.max(MIN_SECONDS, fetched.maxAge ?? DEFAULT_SECONDS));
    return { kind: 'read', document, fetchedAt: now, freshUntil: now + seconds };
  }
  const reason = fetched.kind === 'failed' ? fetched.reason : 'the document is not what it should be';
  return { kind: 'failed', reason, fetchedAt: now, freshUntil: now + FAILURE_SECONDS };
}

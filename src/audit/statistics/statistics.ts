import type { AnyFailureName } from '../../failures.ts';
import type { Deps, Services } from '../../services.ts';
import { bucketOf, LATENCY_BUCKETS, latencyGroup, startOf, type Tallies } from './rules.ts';
import type { CountedBatch, CountedHour } from './store.ts';

/**
 * Counts what the server does, for /api/v1/admin/statistics. Counting is a few increments in memory; a job adds the counts to the store
 * every minute (assembly/jobs.ts), and the server when it stops. A process that is killed loses those of the last minute.
 *
 * `app` is the code in the path of the request, which may name no application, or undefined where the request belongs to none: both
 * count for the deployment alone.
 */
export interface StatisticsRecorder {
  loginSucceeded(app: string | undefined): void;
  loginFailed(app: string | undefined): void;
  refused(app: string | undefined, reason: AnyFailureName): void;
  /** An answer with tokens: one, however many are in it. */
  tokensIssued(app: string, grantType: string): void;
  /** `route` is a name of the table of routes. The times are those of performance.now(). */
  answered(app: string, route: string, receivedAt: number, answeredAt: number): void;
  /** Adds to the store what was counted. Rejects if the store does not take it: then it is sent again by the next call. */
  flush(): Promise<void>;
}

export interface StatisticsLimits {
  /** Of applications and hours in memory. Beyond it, counts are those of the deployment alone. */
  readonly maxEntries: number;
  /** In memory while the store does not answer; the oldest are given up. */
  readonly maxHours: number;
  /** In one transaction, so that requests on the embedded store do not wait for long. */
  readonly maxBatch: number;
}

const LIMITS: StatisticsLimits = { maxEntries: 10_000, maxHours: 24, maxBatch: 10 };

/** What one application did in one hour. */
interface Entry {
  succeeded: number;
  failed: number;
  readonly refusals: Map<string, number>;
  readonly tokens: Map<string, number>;
  readonly latency: Map<string, Uint32Array>;
}

const CLOCK_INTERVAL_MS = 1000;

/** The key of what belongs to no application. */
const NONE = '';

interface RecorderDeps extends Pick<Deps, 'store' | 'clock' | 'random' | 'log'> {
  readonly registry: Pick<Services['registry'], 'cachedApplication'>;
}

export function createStatisticsRecorder(
  { store, clock, random, log, registry }: RecorderDeps,
  limits: StatisticsLimits = LIMITS,
): StatisticsRecorder {
  const hours = new Map<number, Map<string, Entry>>();
  let currentHour: number | undefined;
  let current = new Map<string, Entry>();
  /** When the hour was last compared with the clock, by performance.now(). */
  let comparedAt = Number.NEGATIVE_INFINITY;
  /** Taken from the counters and not yet acknowledged. They stay as they are, so that sending one again adds it once. */
  const batches: CountedBatch[] = [];
  let writer: string | undefined;
  let seq = 0;
  let writing: Promise<void> = Promise.resolve();

  const turnTo = (hour: number) => {
    if (currentHour !== undefined && current.size === 0) hours.delete(currentHour);
    currentHour = hour;
    current = hours.get(hour) ?? new Map();
    hours.set(hour, current);
    const [oldest] = hours.keys();
    if (hours.size <= limits.maxHours || oldest === undefined || oldest === hour) return;
    hours.delete(oldest);
    log.error('statistics.lost', { hour: new Date(oldest * 1000).toISOString() });
  };

  /** Only an application that exists gets an entry: the path of a request can name any number of others. */
  const newEntry = (app: string): Entry => {
    const isOwn = app !== NONE && registry.cachedApplication(app) !== undefined && hasRoom();
    const key = isOwn ? app : NONE;
    const known = current.get(key);
    if (known) return known;
    const entry: Entry = { succeeded: 0, failed: 0, refusals: new Map(), tokens: new Map(), latency: new Map() };
    current.set(key, entry);
    return entry;
  };
  const hasRoom = () => [...hours.values()].reduce((sum, { size }) => sum + size, 0) < limits.maxEntries;

  const turnToNow = () => {
    const hour = startOf('hour', clock.now());
    if (hour !== currentHour) turnTo(hour);
  };

  const entryOf = (app: string = NONE): Entry => {
    turnToNow();
    return current.get(app) ?? newEntry(app);
  };

  /** For every request: it asks the clock once a second, which takes as long as all the rest. */
  const entryAt = (app: string, at: number): Entry => {
    if (at - comparedAt >= CLOCK_INTERVAL_MS) {
      comparedAt = at;
      turnToNow();
    }
    return current.get(app) ?? newEntry(app);
  };

  const takeAll = (): CountedHour[] => {
    const taken = [...hours].flatMap(([time, entries]) =>
      [...entries].map(([app, entry]) => ({ time, app: app === NONE ? undefined : app, tallies: talliesOf(entry) })),
    );
    hours.clear();
    if (currentHour !== undefined) turnTo(currentHour);
    return taken.filter(({ tallies }) => Object.keys(tallies).length > 0);
  };

  const send = async (): Promise<void> => {
    for (let batch = batches[0]; batch !== undefined; batch = batches[0]) {
      await store.addStatistics(batch, clock.now());
      batches.shift();
    }
  };

  const write = async (): Promise<void> => {
    await send();
    const counted = takeAll();
    writer ??= random.bytes(12).toString('hex');
    for (let start = 0; start < counted.length; start += limits.maxBatch) {
      batches.push({ writer, seq: ++seq, hours: counted.slice(start, start + limits.maxBatch) });
    }
    await send();
  };

  return {
    loginSucceeded: app => {
      entryOf(app).succeeded++;
    },
    loginFailed: app => {
      entryOf(app).failed++;
    },
    refused: (app, reason) => increment(entryOf(app).refusals, reason),
    tokensIssued: (app, grantType) => increment(entryOf(app).tokens, grantType),
    answered: (app, route, receivedAt, answeredAt) => {
      const { latency } = entryAt(app, answeredAt);
      const histogram = latency.get(route) ?? newHistogram(latency, route);
      const bucket = bucketOf(answeredAt - receivedAt);
      histogram[bucket] = (histogram[bucket] as number) + 1;
    },
    flush: () => {
      // One after the other, so that batches arrive in the order of their numbers.
      writing = writing.catch(() => {}).then(write);
      return writing;
    },
  };
}

function increment(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function newHistogram(latency: Map<string, Uint32Array>, route: string): Uint32Array {
  const histogram = new Uint32Array(LATENCY_BUCKETS);
  latency.set(route, histogram);
  return histogram;
}

/** Only what was counted. */
function talliesOf({ succeeded, failed, refusals, tokens, latency }: Entry): Tallies {
  const tallies: Record<string, Record<string, number>> = {};
  const put = (group: string, name: string | number, count: number) => {
    if (count === 0) return;
    tallies[group] ??= {};
    tallies[group][name] = (tallies[group][name] ?? 0) + count;
  };
  put('logins', 'succeeded', succeeded);
  put('logins', 'failed', failed);
  for (const [reason, count] of refusals) put('refusals', reason, count);
  for (const [grantType, count] of tokens) put('tokens', grantType, count);
  for (const [route, histogram] of latency) {
    const shown = shownRoute(route);
    if (shown === undefined) continue;
    for (const [bucket, count] of histogram.entries()) put(latencyGroup(shown), bucket, count);
  }
  return tallies;
}

/** Each is one route in the statistics, with everything below it. */
const AS_ONE = ['/api/v1/admin', '/console'];
/** What probes, collectors and readers of documents fetch says nothing about the service. */
const NOT_SHOWN = /^\/(healthz|readyz|metrics|assets|docs|demo)\b/;

/** The name in the statistics. Undefined: it is left out. */
function shownRoute(route: string): string | undefined {
  if (NOT_SHOWN.test(route)) return undefined;
  return AS_ONE.find(prefix => route === prefix || route.startsWith(`${prefix}/`)) ?? route;
}

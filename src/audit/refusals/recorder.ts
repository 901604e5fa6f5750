import { setTimeout as delay } from 'node:timers/promises';
import type { AnyFailureName } from '../../failures.ts';
import type { Refusal, Request } from '../../platform/http/message.ts';
import type { Deps, Services, Tables } from '../../services.ts';
import type { StatisticsRecorder } from '../statistics/statistics.ts';
import { type Captured, capture, type RefusedAt } from './capture.ts';
import { find } from './find.ts';
import type { StoredRefusal } from './store.ts';

/**
 * Stores refused requests for `explain`. A refusal is captured in memory. After the answer, what it refers to is looked up and a batch
 * is written, so that no request waits for it. Everything is bounded, because anyone can make the server refuse.
 */
export interface RefusalRecorder {
  note(request: Request, place: RefusedAt, refusal: Refusal): void;
  /** Writes what waits. Never rejects: what the store does not take is written later. */
  flush(): Promise<void>;
  /** Writes what waits for the last time, if the store takes it at once. */
  close(): Promise<void>;
}

/**
 * Of an application and minute; requests without an application share one limit. One every two seconds is more than a person reads,
 * and a flood that fills every minute of a day leaves 43,200 rows, which MAX_KEPT reduces.
 */
export const MAX_PER_MINUTE = 30;
/** Of them, for one row of the catalogue: a flood of one kind leaves room for the others. */
export const MAX_PER_MINUTE_AND_REASON = 15;
/** Of all applications, in one process: ten a second, so that a flood over many applications costs the database little. */
const MAX_PER_MINUTE_TOTAL = 600;
/** Of an application, the newest: about 5 MB of its refusals at 1 KB each, whatever comes in a week. */
const MAX_KEPT = 5000;
/** How many are written between two trims, so that a trim, which walks over MAX_KEPT entries of an index, is rare. */
const WRITTEN_BETWEEN_TRIMS = 500;
/** In memory, a few KB each, while the store is slow or unavailable. */
const MAX_PENDING = 500;
const MAX_BATCH = 100;
const FLUSH_DELAY_MS = 500;
const RETRY_DELAY_MS = 5000;
/** Short, because a process that stops has ten seconds for everything. */
const CLOSE_TIMEOUT_MS = 300;
const MINUTE_SECONDS = 60;

interface RecorderDeps extends Pick<Deps, 'config' | 'clock' | 'log' | 'metrics' | 'store'> {
  readonly tables: Pick<Tables, 'grantTypes'>;
  readonly registry: Pick<Services['registry'], 'cachedClient' | 'cachedApplication'>;
  readonly statistics: Pick<StatisticsRecorder, 'refused'>;
}

export function createRefusalRecorder(deps: RecorderDeps): RefusalRecorder {
  const { config, clock, log, metrics, store, registry, statistics, tables } = deps;
  const capturing = { registry, baseUrl: config.baseUrl, grantTypes: tables.grantTypes };
  const tryAcquire = createMinuteLimit();
  const pending: Captured[] = [];
  const writtenSinceTrim = new Map<string, number>();
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let kept = 0;
  let dropped = 0;
  const count = (name: string, help: string, read: () => number) =>
    metrics.watch({ name, help, aggregation: 'sum', isCounter: true, read });
  count('gatehouse_refusals_kept_total', 'Refused requests that can be explained.', () => kept);
  count(
    'gatehouse_refusals_dropped_total',
    'Refused requests beyond the bound: they cannot be explained.',
    () => dropped,
  );

  const schedule = (delayMs: number) => {
    if (!isClosed) timer ??= setTimeout(() => void flush(), delayMs).unref();
  };

  const writeBatch = async (batch: readonly Captured[]): Promise<void> => {
    const rows = await Promise.all(batch.map(async one => toRow(one, await find(store, one.app, one.lookups))));
    const written = await store.addRefusals(rows, MAX_PER_MINUTE);
    kept += written;
    dropped += rows.length - written;
    await trim(rows);
  };

  const trim = async (rows: readonly StoredRefusal[]): Promise<void> => {
    for (const [app, { length }] of Map.groupBy(rows, ({ app }) => app)) {
      // The first time in this process too: another may have stopped just before its trim.
      const since = (writtenSinceTrim.get(app) ?? WRITTEN_BETWEEN_TRIMS) + length;
      writtenSinceTrim.set(app, since > WRITTEN_BETWEEN_TRIMS ? 0 : since);
      if (since > WRITTEN_BETWEEN_TRIMS) await store.trimRefusals(app, MAX_KEPT);
    }
  };

  const writeAll = async (): Promise<void> => {
    while (pending.length > 0) {
      const batch = pending.slice(0, MAX_BATCH);
      try {
        await writeBatch(batch);
        pending.splice(0, batch.length);
      } catch (error) {
        log.debug('refusals.postponed', { count: pending.length, message: (error as Error).message });
        return schedule(RETRY_DELAY_MS);
      }
    }
  };

  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    writing ??= writeAll().finally(() => {
      writing = undefined;
    });
    return writing;
  };

  return {
    note(request, place, refusal) {
      const app = applicationOf(registry, place, refusal);
      statistics.refused(app, refusal.failure.name);
      if (isClosed) return;
      const now = clock.now();
      if (pending.length >= MAX_PENDING || !tryAcquire(app, refusal.failure.name, now)) {
        dropped++;
        return;
      }
      try {
        pending.push(capture(capturing, request, place, refusal, app, now));
        schedule(FLUSH_DELAY_MS);
      } catch (error) {
        // A fault here must not change the answer to the request.
        log.error('refusals.fault', { request: request.id, message: (error as Error).message });
      }
    },
    flush,
    close: async () => {
      isClosed = true;
      if (pending.length > 0) await Promise.race([flush(), delay(CLOSE_TIMEOUT_MS)]);
    },
  };
}

/** Only an application that exists has a limit of its own: the path of a request can name any number of others. */
function applicationOf(
  registry: Pick<Services['registry'], 'cachedApplication'>,
  { app }: RefusedAt,
  { app: named }: Refusal,
): string {
  const code = app === '' ? named : app;
  return code !== undefined && registry.cachedApplication(code) ? code : '';
}

/** Counts for this process. The store counts for all, when it writes. */
function createMinuteLimit(): (app: string, reason: AnyFailureName, now: number) => boolean {
  const counts = new Map<string, number>();
  let minute = 0;
  let total = 0;
  return (app, reason, now) => {
    const current = Math.floor(now / MINUTE_SECONDS);
    if (current !== minute) {
      minute = current;
      total = 0;
      counts.clear();
    }
    const ofReason = `${app} ${reason}`;
    const [all, some] = [counts.get(app) ?? 0, counts.get(ofReason) ?? 0];
    if (total >= MAX_PER_MINUTE_TOTAL || all >= MAX_PER_MINUTE || some >= MAX_PER_MINUTE_AND_REASON) return false;
    total++;
    counts.set(app, all + 1);
    counts.set(ofReason, some + 1);
    return true;
  };
}

function toRow({ requestId, app, snapshot }: Captured, found: Awaited<ReturnType<typeof find>>): StoredRefusal {
  const { time, reason } = snapshot;
  return { requestId, app, time, reason, data: JSON.stringify({ ...snapshot, found }) };
}

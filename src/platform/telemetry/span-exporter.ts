import type { TraceSettings } from '../config/telemetry-settings.ts';
import type { Log } from '../observe/log.ts';
import { Counters } from '../observe/metrics.ts';
import { outsideSpans } from './current-span.ts';
import type { Exported } from './otlp-sender.ts';
import type { EndedSpan, SpanSink } from './trace.ts';

export type SpanOutcome = 'exported' | 'dropped';

export interface SpanExporter extends SpanSink {
  readonly counts: Counters<SpanOutcome>;
  /** Sends what waits, once: before the process ends. */
  flush(): Promise<void>;
}

const FIRST_RETRY_MS = 1000;
const MAX_RETRY_MS = 60_000;

/**
 * The queue between the requests and the receiver. A span that ends is put into it and nothing else; batches leave later, one at a time.
 * While the receiver does not take them the queue fills up, and what finds no room is dropped and counted.
 */
export function createSpanExporter(
  settings: Pick<TraceSettings, 'delayMs' | 'maxWaiting' | 'maxPerBatch'>,
  send: (spans: readonly EndedSpan[]) => Promise<Exported>,
  log: Log,
): SpanExporter {
  const { delayMs, maxWaiting, maxPerBatch } = settings;
  const counts = new Counters<SpanOutcome>('gatehouse_trace_spans_total', 'Spans that ended, by outcome.', 'outcome', [
    'exported',
    'dropped',
  ]);
  let waiting: EndedSpan[] = [];
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;
  let failures = 0;

  const schedule = (afterMs: number) => {
    timer ??= outsideSpans(() => setTimeout(run, afterMs).unref());
  };
  const run = () => {
    timer = undefined;
    sending ??= sendAll().finally(() => {
      sending = undefined;
      if (waiting.length > 0) schedule(delayMs);
    });
  };
  const sendAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxPerBatch);
      const retryAfterMs = settled(batch.length, await send(batch));
      if (retryAfterMs !== undefined) return schedule(retryAfterMs);
      waiting = waiting.slice(batch.length);
      if (waiting.length < maxPerBatch && waiting.length > 0) return schedule(delayMs);
    }
  };
  /** When the batch is sent again; undefined: it is done with. */
  const settled = (count: number, outcome: Exported): number | undefined => {
    if (outcome.kind === 'taken') {
      counts.add('exported', count - outcome.rejected);
      counts.add('dropped', outcome.rejected);
      if (failures > 0) log.info('telemetry.recovered');
      failures = 0;
      return undefined;
    }
    if (failures++ === 0) log.warn('telemetry.failed', { reason: outcome.reason });
    if (outcome.kind === 'postponed') {
      const backOff = Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), MAX_RETRY_MS);
      // Nodes that failed together do not come back together.
      return Math.max(backOff * (0.5 + Math.random() / 2), outcome.retryAfterMs);
    }
    counts.add('dropped', count);
    return undefined;
  };

  return {
    counts,
    add(span) {
      if (waiting.length >= maxWaiting) {
        counts.add('dropped');
        return;
      }
      waiting.push(span);
      if (sending) return;
      if (waiting.length >= maxPerBatch && failures === 0) {
        clearTimeout(timer);
        timer = undefined;
        schedule(0);
      } else schedule(delayMs);
    },
    skip: () => counts.add('dropped'),
    async flush() {
      clearTimeout(timer);
      timer = undefined;
      await sending;
      outsideSpans(run);
      await sending;
      clearTimeout(timer);
      timer = undefined;
    },
  };
}

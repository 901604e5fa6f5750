import type { EndedSpan, SpanSink } from './trace.ts';

/**
 * Most runs of a job ask the store once and find nothing to do, some of them each second. The spans of a run are held back until it
 * has a second part, or one that failed: a run that has neither leaves no trace.
 */
export function withoutIdleRuns(sink: SpanSink): SpanSink {
  let held: EndedSpan[] | undefined = [];
  return {
    add(span) {
      if (!held) return sink.add(span);
      held.push(span);
      const parts = held.filter(({ parentSpanId }) => parentSpanId !== undefined);
      if (parts.length < 2 && span.error === undefined) return;
      for (const one of held) sink.add(one);
      held = undefined;
    },
    skip: () => sink.skip(),
  };
}

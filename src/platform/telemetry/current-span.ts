import { AsyncLocalStorage } from 'node:async_hooks';
import type { TraceContext } from './trace-context.rules.ts';

/**
 * What is being done now, for those who record a part of it: the store, outbound calls, the log. Every function in between would
 * otherwise hand it down. While telemetry is off nothing is ever current, and asking costs a look at an empty variable.
 */
export interface CurrentSpan extends TraceContext {
  /** Of the request that it belongs to. */
  readonly requestId: string | undefined;
  /** Begins a part of it; undefined: it is not recorded. */
  child(name: string, kind: SpanKind, attributes: Attributes): OpenSpan | undefined;
}

export interface OpenSpan {
  /** For `traceparent` of what it calls. */
  readonly context: TraceContext;
  /** `error`: a name from the server's own tables, never a message: that may hold what somebody sent. */
  end(error?: string, attributes?: Attributes): void;
}

export type SpanKind = 'internal' | 'server' | 'client';
export type Attributes = Readonly<Record<string, string | number | undefined>>;

const current = new AsyncLocalStorage<CurrentSpan>();

export function currentSpan(): CurrentSpan | undefined {
  return current.getStore();
}

export function within<T>(span: CurrentSpan, work: () => T): T {
  return current.run(span, work);
}

/** For what the telemetry itself does: it would trace its own exports. */
export function outsideSpans<T>(work: () => T): T {
  return current.exit(work);
}

import { randomFillSync } from 'node:crypto';
import type { Attributes, CurrentSpan, OpenSpan, SpanKind } from './current-span.ts';
import type { TraceContext } from './trace-context.rules.ts';

/** A span that has ended, as the exporter takes it. */
export interface EndedSpan {
  readonly traceId: string;
  readonly traceState: string | undefined;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  /** The parent is a span of another program. */
  readonly isParentRemote: boolean;
  readonly name: string;
  readonly kind: SpanKind;
  /** Milliseconds since the Unix epoch, with fractions. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: Attributes;
  readonly error: string | undefined;
}

/** Where ended spans go. */
export interface SpanSink {
  add(span: EndedSpan): void;
  /** Spans that are not recorded because their trace has too many. */
  skip(): void;
}

/** A job that works through a backlog has thousands of operations: a trace that nobody can read, and that would fill the queue. */
const MAX_SPANS = 256;

export interface TraceStart {
  readonly name: string;
  readonly kind: SpanKind;
  readonly traceId: string;
  readonly caller: TraceContext | undefined;
  readonly isSampled: boolean;
  readonly requestId: string | undefined;
  /** By performance.now(). */
  readonly startedAt: number;
}

/** The first span of this server in a trace, and what its parts share. */
export class Trace implements CurrentSpan, OpenSpan {
  readonly spanId = newSpanId();
  readonly #start: TraceStart;
  readonly #sink: SpanSink;
  /** Between performance.now() and the wall clock, when the trace began: its spans fit together, whatever the wall clock does. */
  readonly #epoch = Date.now() - performance.now();
  #spans = 1;

  constructor(start: TraceStart, sink: SpanSink) {
    this.#start = start;
    this.#sink = sink;
  }

  get traceId(): string {
    return this.#start.traceId;
  }

  get traceState(): string | undefined {
    return this.#start.caller?.traceState;
  }

  get isSampled(): boolean {
    return this.#start.isSampled;
  }

  get requestId(): string | undefined {
    return this.#start.requestId;
  }

  get context(): TraceContext {
    return this;
  }

  child(name: string, kind: SpanKind, attributes: Attributes): OpenSpan | undefined {
    if (!this.isSampled) return undefined;
    if (this.#spans >= MAX_SPANS) {
      this.#sink.skip();
      return undefined;
    }
    this.#spans++;
    const { traceId, traceState, isSampled, spanId: parentSpanId } = this;
    const spanId = newSpanId();
    const startedAt = performance.now();
    return {
      context: { traceId, spanId, isSampled, traceState },
      end: (error, more) => {
        const all = more ? { ...attributes, ...more } : attributes;
        this.#add({ spanId, parentSpanId, isParentRemote: false, name, kind, attributes: all, error, startedAt });
      },
    };
  }

  end(error?: string, attributes: Attributes = {}): void {
    if (!this.isSampled) return;
    const { caller, name, kind, startedAt } = this.#start;
    const parentSpanId = caller?.spanId;
    this.#add({
      ...{ spanId: this.spanId, parentSpanId, isParentRemote: caller !== undefined },
      ...{ name, kind, attributes, error, startedAt },
    });
  }

  #add(span: Omit<EndedSpan, 'traceId' | 'traceState' | 'endedAt'>): void {
    const { traceId, traceState } = this;
    const startedAt = this.#epoch + span.startedAt;
    this.#sink.add({ ...span, traceId, traceState, startedAt, endedAt: this.#epoch + performance.now() });
  }
}

/** Ids have to be unique, and not secret: bytes are fetched for many at a time. */
const pool = Buffer.alloc(4096);
let used = pool.length;

function randomHex(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const id = pool.toString('hex', used, used + bytes);
  used += bytes;
  // An id of zeros is none (W3C Trace Context, sections 3.2.2.3 and 3.2.2.4).
  return /[1-9a-f]/.test(id) ? id : randomHex(bytes);
}

export function newTraceId(): string {
  return randomHex(16);
}

function newSpanId(): string {
  return randomHex(8);
}

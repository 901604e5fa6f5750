import type { Attributes, SpanKind } from './current-span.ts';
import type { EndedSpan } from './trace.ts';

/** OTLP as JSON: the mapping of proto3, with ids in hexadecimal and 64-bit integers as text (OTLP specification 1.x, "JSON Protobuf Encoding"). */

export const SCOPE = 'gatehouse';

export interface KeyValue {
  readonly key: string;
  readonly value: { readonly stringValue: string } | { readonly intValue: string } | { readonly doubleValue: number };
}

export function keyValues(attributes: Attributes): KeyValue[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValue(value) }],
  );
}

function anyValue(value: string | number): KeyValue['value'] {
  if (typeof value === 'string') return { stringValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** Milliseconds as nanoseconds. Beyond microseconds neither the clock nor a double is exact. */
export function nanoseconds(milliseconds: number): string {
  return `${Math.round(milliseconds * 1000)}000`;
}

/** SpanKind of the protocol. */
const KINDS: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3 };
const STATUS_ERROR = 2;
/** SpanFlags: sampled; whether the parent is remote is known (bit 8), and is so (bit 9). */
const SAMPLED = 0x001;
const HAS_IS_REMOTE = 0x100;
const IS_REMOTE = 0x200;

export function tracesRequest(resource: Attributes, version: string, spans: readonly EndedSpan[]) {
  return {
    resourceSpans: [
      {
        resource: { attributes: keyValues(resource) },
        scopeSpans: [{ scope: { name: SCOPE, version }, spans: spans.map(otlpSpan) }],
      },
    ],
  };
}

function otlpSpan(span: EndedSpan) {
  const { traceId, spanId, parentSpanId, traceState, isParentRemote, error } = span;
  return {
    traceId,
    spanId,
    ...(parentSpanId !== undefined && { parentSpanId }),
    ...(traceState !== undefined && { traceState }),
    flags: SAMPLED | HAS_IS_REMOTE | (isParentRemote ? IS_REMOTE : 0),
    name: span.name,
    kind: KINDS[span.kind],
    startTimeUnixNano: nanoseconds(span.startedAt),
    endTimeUnixNano: nanoseconds(span.endedAt),
    attributes: keyValues({ ...span.attributes, ...(error !== undefined && { 'error.type': error }) }),
    ...(error !== undefined && { status: { code: STATUS_ERROR } }),
  };
}

import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { listen } from './listen.ts';

/**
 * A receiver of OTLP over HTTP that reads its JSON strictly, on 127.0.0.1. What the OpenTelemetry Collector makes of the same is in
 * test/platform/telemetry/collector.check.ts.
 */
export interface OtlpReceiver {
  readonly address: string;
  readonly spans: readonly ReceivedSpan[];
  readonly metrics: ReadonlyMap<string, ReceivedMetric>;
  readonly requests: readonly { readonly path: string; readonly headers: IncomingHttpHeaders }[];
  /** Of the last request. */
  readonly resource: () => Readonly<Record<string, string | number>>;
  /** All of it as it came. */
  readonly text: () => string;
  /** The next answers; after the last one, 200. */
  answer(...replies: OtlpReply[]): void;
  close(): Promise<void>;
}

export interface OtlpReply {
  readonly status: number;
  readonly body?: string;
  readonly when?: Promise<unknown>;
}

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status?: { readonly code: number };
  readonly attributes: Readonly<Record<string, string | number>>;
}

export interface ReceivedMetric {
  readonly unit: string;
  readonly kind: 'sum' | 'gauge' | 'histogram';
  readonly points: readonly {
    readonly attributes: Readonly<Record<string, string | number>>;
    readonly value: number;
  }[];
}

export async function openOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const metrics = new Map<string, ReceivedMetric>();
  const requests: { path: string; headers: IncomingHttpHeaders }[] = [];
  const replies: OtlpReply[] = [];
  const texts: string[] = [];
  let resource: Record<string, string | number> = {};
  const { origin: address, close } = await listen(async (incoming, outgoing) => {
    const raw = Buffer.concat(await incoming.toArray());
    const body = (incoming.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw).toString();
    const { status, body: answer = '{}', when } = replies.shift() ?? { status: 200 };
    await when;
    requests.push({ path: incoming.url ?? '', headers: incoming.headers });
    if (status === 200) {
      texts.push(body);
      const message = JSON.parse(body);
      for (const { resource: of, scopeSpans = [], scopeMetrics = [] } of message.resourceSpans ??
        message.resourceMetrics) {
        resource = attributesOf(of.attributes);
        for (const scope of scopeSpans) spans.push(...scope.spans.map(readSpan));
        for (const scope of scopeMetrics)
          for (const metric of scope.metrics) metrics.set(metric.name, readMetric(metric));
      }
    }
    outgoing.writeHead(status, { 'content-type': 'application/json' }).end(answer);
  });
  return {
    address,
    spans,
    metrics,
    requests,
    resource: () => resource,
    text: () => texts.join('\n'),
    answer: (...next) => {
      replies.splice(0, replies.length, ...next);
    },
    close,
  };
}

// biome-ignore lint/suspicious/noExplicitAny: what came
function readSpan(span: any): ReceivedSpan {
  assert.match(span.traceId, /^[0-9a-f]{32}$/);
  assert.match(span.spanId, /^[0-9a-f]{16}$/);
  if (span.parentSpanId !== undefined) assert.match(span.parentSpanId, /^[0-9a-f]{16}$/);
  assert.match(span.startTimeUnixNano, /^\d{19}$/);
  assert.match(span.endTimeUnixNano, /^\d{19}$/);
  assert(BigInt(span.startTimeUnixNano) <= BigInt(span.endTimeUnixNano), `${span.name} ends before it begins`);
  assert([1, 2, 3].includes(span.kind), `${span.kind} is none of the kinds in use`);
  return { ...span, attributes: attributesOf(span.attributes) };
}

// biome-ignore lint/suspicious/noExplicitAny: what came
function readMetric(metric: any): ReceivedMetric {
  const kind = (['sum', 'gauge', 'histogram'] as const).find(one => one in metric);
  assert(kind, `${metric.name} is of no known kind`);
  // biome-ignore lint/suspicious/noExplicitAny: what came
  const points = metric[kind].dataPoints.map((point: any) => {
    assert.match(point.timeUnixNano, /^\d{19}$/);
    if (kind === 'histogram') {
      assert.equal(point.bucketCounts.length, point.explicitBounds.length + 1, metric.name);
      const sum = point.bucketCounts.reduce((all: number, one: string) => all + Number(one), 0);
      assert.equal(sum, Number(point.count), `${metric.name}: the buckets add up to the count`);
    }
    return { attributes: attributesOf(point.attributes), value: Number(point.asDouble ?? point.count) };
  });
  return { unit: metric.unit, kind, points };
}

// biome-ignore lint/suspicious/noExplicitAny: what came
function attributesOf(attributes: any[]): Record<string, string | number> {
  const read = attributes.map(({ key, value }) => {
    const [type = '', text] = Object.entries(value)[0] ?? [];
    assert(['stringValue', 'intValue', 'doubleValue'].includes(type), `${key} is of the type ${type}`);
    return [key, type === 'intValue' ? Number(text) : text] as const;
  });
  assert.equal(new Set(read.map(([key]) => key)).size, read.length, 'an attribute twice');
  return Object.fromEntries(read) as Record<string, string | number>;
}

import type { TelemetrySettings, TraceSettings } from '../config/telemetry-settings.ts';
import { header, type Reply, type Request } from '../http/message.ts';
import type { Match } from '../http/router.ts';
import type { Metrics } from '../observe/instruments.ts';
import type { Log } from '../observe/log.ts';
import { releaseVersion } from '../release.ts';
import { type Attributes, type OpenSpan, within } from './current-span.ts';
import { withoutIdleRuns } from './idle-runs.ts';
import { tracesRequest } from './otlp.ts';
import { sendOtlp } from './otlp-sender.ts';
import { resourceOf } from './resource.ts';
import { isTraceSampled } from './sampler.ts';
import { createSpanExporter } from './span-exporter.ts';
import { newTraceId, Trace } from './trace.ts';
import { readTraceContext } from './trace-context.rules.ts';

/** Records what the server does as traces. Undefined among the services while it is off. */
export interface Tracing {
  /** `match`: its row of the route table; undefined: no row has its path. */
  startRequest(request: Request, match: Match | undefined): RequestSpan;
  /** A run of a job. */
  run<T>(job: string, work: () => Promise<T>): Promise<T>;
  /** Sends what waits: before the process ends. */
  flush(): Promise<void>;
}

export interface RequestSpan {
  within<T>(work: () => T): T;
  /** `app`: the application of the request, where there is one with this code. */
  end(reply: Pick<Reply, 'status' | 'error'>, app: string | undefined): void;
}

export function createTracing(settings: TelemetrySettings, traces: TraceSettings, log: Log, metrics: Metrics): Tracing {
  const [resource, version] = [resourceOf(settings), releaseVersion()];
  const exporter = createSpanExporter(traces, spans => sendOtlp(traces, tracesRequest(resource, version, spans)), log);
  metrics.add(exporter.counts);
  return {
    startRequest(request, match) {
      const caller = readTraceContext(header(request, 'traceparent'), header(request, 'tracestate'));
      const traceId = caller?.traceId ?? newTraceId();
      const isSampled = isTraceSampled(traces.sampler, traceId, caller);
      const { id: requestId, receivedAt: startedAt } = request;
      const name = nameOf(request.method, match);
      const trace = new Trace({ name, kind: 'server', traceId, caller, isSampled, requestId, startedAt }, exporter);
      return {
        within: work => within(trace, work),
        end: (reply, app) => trace.end(errorOf(reply), attributesOf(request, match, reply, app)),
      };
    },
    async run(job, work) {
      const traceId = newTraceId();
      const isSampled = isTraceSampled(traces.sampler, traceId, undefined);
      const start = { name: `job ${job}`, kind: 'internal', traceId, isSampled, startedAt: performance.now() } as const;
      const trace = new Trace({ ...start, caller: undefined, requestId: undefined }, withoutIdleRuns(exporter));
      return ended(trace, { 'gatehouse.job': job }, () => within(trace, work));
    },
    flush: () => exporter.flush(),
  };
}

/** Ends the span with the work. */
export async function ended<T>(span: OpenSpan, attributes: Attributes, work: () => Promise<T>): Promise<T> {
  try {
    const result = await work();
    span.end(undefined, attributes);
    return result;
  } catch (error) {
    span.end(error instanceof Error ? error.name : 'Error', attributes);
    throw error;
  }
}

/** RFC 9110 section 9.1 and RFC 5789. Another one is whatever the caller wrote. */
const METHODS: ReadonlySet<string> = new Set('GET HEAD POST PUT PATCH DELETE OPTIONS CONNECT TRACE'.split(' '));

/** "HTTP spans": method and route, never the path: it may hold what somebody invented. */
function nameOf(method: string, match: Match | undefined): string {
  const known = METHODS.has(method) ? method : 'HTTP';
  return match ? `${known} ${match.route.pattern}` : known;
}

/** `url.path` and `url.query` are left out, which the conventions ask for: both can hold what is secret. */
function attributesOf(
  request: Request,
  match: Match | undefined,
  reply: Pick<Reply, 'status' | 'error'>,
  app: string | undefined,
): Attributes {
  return {
    'http.request.method': METHODS.has(request.method) ? request.method : '_OTHER',
    'http.route': match?.route.pattern,
    'http.response.status_code': reply.status,
    'gatehouse.route': match?.route.name,
    'gatehouse.application': app,
    'gatehouse.error': reply.error,
    'gatehouse.request_id': request.id,
  };
}

/** "Status": what the caller did wrong is no error of this server. */
function errorOf({ status, error }: Pick<Reply, 'status' | 'error'>): string | undefined {
  return status >= 500 ? (error ?? String(status)) : undefined;
}

/**
 * OpenTelemetry: the variables of its specification ("Environment Variable Specification", "OTLP Exporter Configuration"), as far as they
 * mean something here. Without an endpoint nothing is recorded, and none of the others is read: platforms set them for every program.
 */
export const telemetrySettingNames = [
  'OTEL_SDK_DISABLED',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
  'OTEL_EXPORTER_OTLP_METRICS_HEADERS',
  'OTEL_EXPORTER_OTLP_PROTOCOL',
  'OTEL_EXPORTER_OTLP_COMPRESSION',
  'OTEL_EXPORTER_OTLP_TIMEOUT',
  'OTEL_TRACES_EXPORTER',
  'OTEL_METRICS_EXPORTER',
  'OTEL_SERVICE_NAME',
  'OTEL_RESOURCE_ATTRIBUTES',
  'OTEL_TRACES_SAMPLER',
  'OTEL_TRACES_SAMPLER_ARG',
  'OTEL_BSP_SCHEDULE_DELAY',
  'OTEL_BSP_MAX_QUEUE_SIZE',
  'OTEL_BSP_MAX_EXPORT_BATCH_SIZE',
  'OTEL_METRIC_EXPORT_INTERVAL',
] as const;

export type TelemetrySettingName = (typeof telemetrySettingNames)[number];
type Given = Readonly<Record<string, string | undefined>>;

export interface TelemetrySettings {
  readonly resource: Readonly<Record<string, string>>;
  readonly traces: TraceSettings | undefined;
  readonly metrics: MetricExportSettings | undefined;
}

/** Where one signal goes. */
export interface OtlpTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly isCompressed: boolean;
  readonly timeoutMs: number;
}

export interface TraceSettings extends OtlpTarget {
  readonly sampler: SamplerSettings;
  readonly delayMs: number;
  readonly maxWaiting: number;
  readonly maxPerBatch: number;
}

export interface MetricExportSettings extends OtlpTarget {
  readonly intervalMs: number;
}

/** `ratio`: of the traces that begin here. `followsCaller`: a caller that sent `traceparent` decides for its own. */
export interface SamplerSettings {
  readonly ratio: number;
  readonly followsCaller: boolean;
}

/** Undefined: telemetry is off. */
export interface ReadTelemetry {
  readonly settings: TelemetrySettings | undefined;
  readonly faults: readonly string[];
}

const OFF: ReadTelemetry = { settings: undefined, faults: [] };

export function readTelemetry(given: Given): ReadTelemetry {
  if (given.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return OFF;
  const base = given.OTEL_EXPORTER_OTLP_ENDPOINT;
  const endpoints = {
    TRACES: given.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (base && below(base, 'v1/traces')),
    METRICS: given.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT ?? (base && below(base, 'v1/metrics')),
  };
  if (!endpoints.TRACES && !endpoints.METRICS) return OFF;
  const read = new Reading(given);
  read.choice('OTEL_EXPORTER_OTLP_PROTOCOL', ['http/json'], 'http/json');
  const target = (signal: 'TRACES' | 'METRICS') => targetOf(read, signal, endpoints[signal]);
  const [traces, metrics] = [target('TRACES'), target('METRICS')];
  const settings: TelemetrySettings = {
    resource: {
      'service.name': 'gatehouse',
      ...read.pairs('OTEL_RESOURCE_ATTRIBUTES'),
      ...(given.OTEL_SERVICE_NAME && { 'service.name': given.OTEL_SERVICE_NAME }),
    },
    traces: traces && { ...traces, ...traceLimits(read), sampler: samplerOf(read) },
    metrics: metrics && { ...metrics, intervalMs: read.number('OTEL_METRIC_EXPORT_INTERVAL', 60_000, 1000, 3_600_000) },
  };
  return read.faults.length > 0 ? { settings: undefined, faults: read.faults } : { settings, faults: [] };
}

/** "Endpoint URLs for OTLP/HTTP": the path of the signal is appended to the base, whether or not that ends in a slash. */
function below(base: string, path: string): string {
  return `${base.replace(/\/$/, '')}/${path}`;
}

function targetOf(read: Reading, signal: 'TRACES' | 'METRICS', url: string | undefined): OtlpTarget | undefined {
  if (!url || read.choice(`OTEL_${signal}_EXPORTER`, ['otlp', 'none'], 'otlp') === 'none') return undefined;
  const parsed = URL.parse(url);
  const isUsable = parsed && /^https?:$/.test(parsed.protocol) && parsed.username === '' && parsed.password === '';
  if (!isUsable) {
    const own = `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT` as const;
    const name = read.given[own] ? own : 'OTEL_EXPORTER_OTLP_ENDPOINT';
    read.fault(name, 'must be an http or https address without user and password, such as http://127.0.0.1:4318');
  }
  return {
    url,
    headers: { ...read.headers('OTEL_EXPORTER_OTLP_HEADERS'), ...read.headers(`OTEL_EXPORTER_OTLP_${signal}_HEADERS`) },
    isCompressed: read.choice('OTEL_EXPORTER_OTLP_COMPRESSION', ['none', 'gzip'], 'none') === 'gzip',
    timeoutMs: read.number('OTEL_EXPORTER_OTLP_TIMEOUT', 10_000, 100, 60_000),
  };
}

function traceLimits(read: Reading) {
  return {
    delayMs: read.number('OTEL_BSP_SCHEDULE_DELAY', 5000, 100, 60_000),
    maxWaiting: read.number('OTEL_BSP_MAX_QUEUE_SIZE', 2048, 1, 100_000),
    maxPerBatch: read.number('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512, 1, 10_000),
  };
}

const SAMPLERS = [
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
  'always_on',
  'always_off',
  'traceidratio',
] as const;

function samplerOf(read: Reading): SamplerSettings {
  const name = read.choice('OTEL_TRACES_SAMPLER', SAMPLERS, 'parentbased_always_on');
  const followsCaller = name.startsWith('parentbased_');
  if (name.endsWith('always_on')) return { ratio: 1, followsCaller };
  if (name.endsWith('always_off')) return { ratio: 0, followsCaller };
  return { ratio: read.ratio('OTEL_TRACES_SAMPLER_ARG'), followsCaller };
}

/** Reads one variable after the other, and collects what is wrong with them, each once. */
class Reading {
  readonly given: Given;
  readonly #faults = new Set<string>();

  constructor(given: Given) {
    this.given = given;
  }

  get faults(): readonly string[] {
    return [...this.#faults];
  }

  fault(name: TelemetrySettingName, text: string): void {
    this.#faults.add(`${name}: ${text}`);
  }

  choice<Choice extends string>(
    name: TelemetrySettingName,
    choices: readonly Choice[],
    otherwise: NoInfer<Choice>,
  ): Choice {
    const text = this.given[name];
    const chosen = text === undefined ? otherwise : choices.find(choice => choice === text);
    if (chosen === undefined) {
      this.fault(name, choices.length > 1 ? `must be one of ${choices.join(', ')}` : `must be ${choices[0]}`);
    }
    return chosen ?? otherwise;
  }

  number(name: TelemetrySettingName, otherwise: number, min: number, max: number): number {
    const text = this.given[name];
    if (text === undefined) return otherwise;
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    this.fault(name, `must be a number from ${min} to ${max}`);
    return otherwise;
  }

  ratio(name: TelemetrySettingName): number {
    const text = this.given[name] ?? '1';
    const value = /^\d(\.\d{1,12})?$|^\.\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= 0 && value <= 1) return value;
    this.fault(name, 'must be a number from 0 to 1');
    return 1;
  }

  /** As in W3C Baggage, without properties: names and values are percent-encoded. */
  pairs(name: TelemetrySettingName): Record<string, string> {
    const entries = (this.given[name] ?? '').split(',').filter(entry => entry.trim() !== '');
    const read = entries.map(entry => {
      const [, key = '', value = ''] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(entry) ?? [];
      return [decoded(key), decoded(value)] as const;
    });
    const isValid = read.every(([key, value]) => key && value !== undefined);
    if (!isValid)
      this.fault(name, 'must be names with values, such as deployment.environment.name=production,team=identity');
    return isValid ? (Object.fromEntries(read) as Record<string, string>) : {};
  }

  headers(name: TelemetrySettingName): Record<string, string> {
    const pairs = Object.entries(this.pairs(name)).map(([key, value]) => [key.toLowerCase(), value] as const);
    const isValid = pairs.every(([key, value]) => /^[!#$%&'*+.^_`|~\w-]+$/.test(key) && /^[\t\x20-\x7e]*$/.test(value));
    if (!isValid) this.fault(name, 'must be names and values of HTTP headers, such as authorization=Bearer%20token');
    return isValid ? Object.fromEntries(pairs) : {};
  }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

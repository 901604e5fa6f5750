import { type Family, readSeries } from '../observe/metrics.ts';
import type { Attributes } from './current-span.ts';
import { keyValues, nanoseconds, SCOPE } from './otlp.ts';

/** The metrics of /metrics in the form of OTLP, with the same names and labels. */

const CUMULATIVE = 2;

/** When the counters began, and when they were read: milliseconds since the Unix epoch. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

export function metricsRequest(resource: Attributes, version: string, families: readonly Family[], period: Period) {
  const metrics = families.filter(({ samples }) => samples.length > 0).map(family => otlpMetric(family, period));
  return {
    resourceMetrics: [
      { resource: { attributes: keyValues(resource) }, scopeMetrics: [{ scope: { name: SCOPE, version }, metrics }] },
    ],
  };
}

function otlpMetric(family: Family, period: Period) {
  const { name, help: description } = family;
  return { name, description, unit: unitOf(name), ...dataOf(family, period) };
}

/** The unit is in the name, as Prometheus has it. Here it is said in the code of UCUM as well. */
function unitOf(name: string): string {
  if (/_seconds(_total)?$/.test(name)) return 's';
  return /_bytes(_total)?$/.test(name) ? 'By' : '1';
}

function dataOf({ name, kind, samples }: Family, period: Period) {
  const times = { startTimeUnixNano: nanoseconds(period.from), timeUnixNano: nanoseconds(period.to) };
  if (kind === 'histogram') {
    return { histogram: { aggregationTemporality: CUMULATIVE, dataPoints: histogramPoints(name, samples, times) } };
  }
  const dataPoints = samples.map(([text, value]) => ({
    attributes: keyValues(readSeries(text).labels),
    ...times,
    asDouble: value,
  }));
  return kind === 'counter'
    ? { sum: { aggregationTemporality: CUMULATIVE, isMonotonic: true, dataPoints } }
    : { gauge: { dataPoints } };
}

interface Buckets {
  readonly labels: Attributes;
  readonly bounds: number[];
  /** Of each bucket alone; Prometheus adds up those below. */
  readonly counts: number[];
  below: number;
  sum: number;
  count: number;
}

function histogramPoints(name: string, samples: Family['samples'], times: object) {
  const points = new Map<string, Buckets>();
  for (const [text, value] of samples) {
    const { name: part, labels } = readSeries(text);
    const { le, ...own } = labels;
    const key = JSON.stringify(own);
    const point = points.get(key) ?? { labels: own, bounds: [], counts: [], below: 0, sum: 0, count: 0 };
    points.set(key, point);
    if (part === `${name}_sum`) point.sum = value;
    else if (part === `${name}_count`) point.count = value;
    else addBucket(point, le ?? '', value);
  }
  return [...points.values()].map(({ labels, bounds, counts, sum, count }) => ({
    attributes: keyValues(labels),
    ...times,
    count: String(count),
    sum,
    bucketCounts: counts.map(String),
    explicitBounds: bounds,
  }));
}

/** The last bucket has no bound. */
function addBucket(point: Buckets, le: string, upTo: number): void {
  if (le !== '+Inf') point.bounds.push(Number(le));
  point.counts.push(upTo - point.below);
  point.below = upTo;
}

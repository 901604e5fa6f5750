/**
 * What happened in an hour or a day, as numbers: groups of counters by name. The groups are `logins` (succeeded, failed), `refusals` (by
 * the name of the failure), `tokens` (by grant type), and for each route a histogram of its durations (`latency token`, by the
 * number of the bucket). Every name comes from the server's own tables, so that the number of counters is bounded.
 */
export type Tallies = Readonly<Record<string, Readonly<Record<string, number>>>>;

const DAY_SECONDS = 86_400;

/**
 * The lengths of time that are counted, with the time for which each is kept. Hours are for the charts of a month; the days of 400 let
 * two years be compared.
 */
export const STATISTICS_STEPS = {
  hour: { seconds: 3600, retentionSeconds: 32 * DAY_SECONDS },
  day: { seconds: DAY_SECONDS, retentionSeconds: 400 * DAY_SECONDS },
} as const;
export type StatisticsStep = keyof typeof STATISTICS_STEPS;

/** When the hour or day (of UTC) began that a time belongs to. */
export function startOf(step: StatisticsStep, time: number): number {
  const { seconds } = STATISTICS_STEPS[step];
  return Math.floor(time / seconds) * seconds;
}

export function addTallies(some: Tallies, others: Tallies): Tallies {
  const sum: Record<string, Record<string, number>> = {};
  for (const [group, counts] of [...Object.entries(some), ...Object.entries(others)]) {
    sum[group] ??= {};
    const of = sum[group];
    for (const [name, count] of Object.entries(counts)) of[name] = (of[name] ?? 0) + count;
  }
  return sum;
}

const LATENCY = 'latency ';

export function latencyGroup(route: string): string {
  return LATENCY + route;
}

/** The routes of which there are durations. */
export function routesIn(tallies: Tallies): string[] {
  return Object.keys(tallies).flatMap(group => (group.startsWith(LATENCY) ? [group.slice(LATENCY.length)] : []));
}

/** Bucket 0 is for durations up to this. Each further bucket ends 19 % later: four of them double the time. */
const SMALLEST_MS = 0.125;
const BUCKETS_PER_DOUBLING = 4;
/** The last bucket, which begins at 110 s, has everything above. */
export const LATENCY_BUCKETS = 81;

export function bucketOf(milliseconds: number): number {
  if (milliseconds <= SMALLEST_MS) return 0;
  const bucket = Math.ceil(Math.log2(milliseconds / SMALLEST_MS) * BUCKETS_PER_DOUBLING);
  return bucket < LATENCY_BUCKETS ? bucket : LATENCY_BUCKETS - 1;
}

function upperBound(bucket: number): number {
  return bucket < 0 ? 0 : SMALLEST_MS * 2 ** (bucket / BUCKETS_PER_DOUBLING);
}

export interface Latency {
  readonly count: number;
  /** In milliseconds, at the resolution of the buckets; null where nothing was measured. */
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
}

/** The percentiles of a histogram. Within a bucket the durations count as evenly spread. */
export function latencyOf(histogram: Readonly<Record<string, number>>): Latency {
  const buckets = Object.entries(histogram).map(([bucket, count]) => ({ bucket: Number(bucket), count }));
  buckets.sort((one, other) => one.bucket - other.bucket);
  const count = buckets.reduce((sum, one) => sum + one.count, 0);
  const percentile = (share: number): number | null => {
    const rank = Math.ceil(share * count);
    let below = 0;
    for (const { bucket, count: inBucket } of buckets) {
      if (below + inBucket >= rank) {
        const lower = upperBound(bucket - 1);
        const duration = lower + (upperBound(bucket) - lower) * ((rank - below) / inBucket);
        return Math.round(duration * 100) / 100;
      }
      below += inBucket;
    }
    return null;
  };
  return { count, p50: percentile(0.5), p95: percentile(0.95), p99: percentile(0.99) };
}

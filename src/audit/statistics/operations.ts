import { z } from 'zod';
import { mayAccess } from '../../operators/api/caller.ts';
import { type OperationContext, operation } from '../../operators/api/operation.ts';
import { done, unknown } from '../../operators/api/outcome.ts';
import { givenTime, isoTime, timeField } from '../../operators/api/times.ts';
import type { BodyFault } from '../../platform/http/message.ts';
import {
  addTallies,
  type Latency,
  latencyGroup,
  latencyOf,
  routesIn,
  STATISTICS_STEPS,
  type StatisticsStep,
  startOf,
  type Tallies,
} from './rules.ts';
import type { StatisticsPoint } from './store.ts';

/** /statistics: what happened, as numbers by hour or by day (docs/admin.md). */
const DAY_SECONDS = 86_400;
const DEFAULT_SPAN_SECONDS = DAY_SECONDS;
/** 168 hours: about as many points as a chart can show. */
const MAX_DEFAULT_HOURS_SECONDS = 7 * DAY_SECONDS;
const MAX_DAYS = 400;
const HOURS_KEPT_DAYS = STATISTICS_STEPS.hour.retentionSeconds / DAY_SECONDS;

const count = z.int();
const milliseconds = z.number().nullable();
const durations = {
  count: count.meta({ description: 'Requests that were answered.' }),
  p50_ms: milliseconds.meta({ description: 'null where no request was answered.' }),
  p95_ms: milliseconds,
  p99_ms: milliseconds,
};
const numbers = {
  logins: count,
  login_failures: count,
  refusals: z.array(z.object({ reason: z.string(), count })).meta({ description: 'Most frequent first.' }),
  tokens: z
    .array(z.object({ grant_type: z.string(), count }))
    .meta({ description: 'Tokens issued, most frequent first.' }),
  latency: z.object({ ...durations, routes: z.array(z.object({ route: z.string(), ...durations })) }),
};
type Numbers = z.output<z.ZodObject<typeof numbers>>;

const statistics = z.object({
  application: z.string().optional(),
  from: timeField,
  to: timeField,
  interval: z.enum(['hour', 'day']),
  totals: z.object(numbers),
  series: z.array(z.object({ time: timeField, ...numbers })).meta({ description: 'Every hour or day, oldest first.' }),
});

const query = z.strictObject({
  from: givenTime.optional().meta({ description: 'By default 24 hours before to.' }),
  to: givenTime.optional().meta({ description: 'By default now.' }),
  application: z.string().min(1, 'must not be empty').max(255, 'must have at most 255 characters').optional(),
  interval: z
    .enum(['hour', 'day'], 'must be hour or day')
    .optional()
    .meta({ description: `Hours are kept for ${HOURS_KEPT_DAYS} days; by default they are used for up to 7.` }),
});

export const getStatistics = operation({
  summary: 'Logins, failures, refusals by reason, tokens by grant and latency percentiles, by hour or by day.',
  role: 'auditor',
  reach: 'filtered',
  query,
  result: statistics,
  async run(context, { query: { application, ...asked } }) {
    const { services, caller } = context;
    if (application !== undefined && !(await isVisible(context, application))) return unknown('application');
    const period = periodOf(asked, services.clock.now());
    if ('errors' in period) return { kind: 'invalid', errors: period.errors };
    const apps = application === undefined ? caller.applications : [application];
    const points = await services.store.listStatistics({ ...period, apps });
    return done({
      ...(application === undefined ? {} : { application }),
      from: isoTime(period.from),
      to: isoTime(period.to),
      interval: period.step,
      totals: numbersOf(points.reduce<Tallies>((sum, { tallies }) => addTallies(sum, tallies), {})),
      series: seriesOf(period, points),
    });
  },
});

/** An application of which a limited caller may not know is not there. */
async function isVisible({ services, caller }: OperationContext, app: string): Promise<boolean> {
  if (!mayAccess(caller, app)) return false;
  const found = await services.store.findStoredApplication(app);
  return found !== undefined && found.deletedAt === undefined;
}

interface Asked {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly interval?: StatisticsStep | undefined;
}

interface Period {
  readonly step: StatisticsStep;
  readonly from: number;
  readonly to: number;
}

/** Whole hours or days, which include both times. */
function periodOf({ to: givenTo, from: givenFrom, interval }: Asked, now: number): Period | { errors: BodyFault[] } {
  // The second that runs is part of it.
  const to = givenTo ?? now + 1;
  const from = givenFrom ?? to - DEFAULT_SPAN_SECONDS;
  const errors: BodyFault[] = [];
  const span = to - from;
  const areHoursKept = from >= now - STATISTICS_STEPS.hour.retentionSeconds;
  if (span <= 0) errors.push({ pointer: '/from', detail: 'must be before to' });
  if (span > MAX_DAYS * DAY_SECONDS)
    errors.push({ pointer: '/from', detail: `must be at most ${MAX_DAYS} days before to` });
  if (interval === 'hour' && (!areHoursKept || span > STATISTICS_STEPS.hour.retentionSeconds)) {
    errors.push({ pointer: '/interval', detail: `hour is only for the last ${HOURS_KEPT_DAYS} days` });
  }
  if (errors.length > 0) return { errors };
  const step = interval ?? (areHoursKept && span <= MAX_DEFAULT_HOURS_SECONDS ? 'hour' : 'day');
  const { seconds } = STATISTICS_STEPS[step];
  return { step, from: startOf(step, from), to: startOf(step, to - 1) + seconds };
}

/** A point for every hour or day, so that a chart needs no rule for what is missing. */
function seriesOf({ step, from, to }: Period, points: readonly StatisticsPoint[]): (Numbers & { time: string })[] {
  const { seconds } = STATISTICS_STEPS[step];
  const byTime = new Map(points.map(({ time, tallies }) => [time, tallies]));
  return Array.from({ length: (to - from) / seconds }, (_, at) => {
    const time = from + at * seconds;
    return { time: isoTime(time), ...numbersOf(byTime.get(time) ?? {}) };
  });
}

function numbersOf(tallies: Tallies): Numbers {
  const routes = routesIn(tallies).sort();
  const histograms = routes.map(route => tallies[latencyGroup(route)] ?? {});
  const all = histograms.reduce<Tallies>((sum, histogram) => addTallies(sum, { all: histogram }), {});
  return {
    logins: tallies.logins?.succeeded ?? 0,
    login_failures: tallies.logins?.failed ?? 0,
    refusals: mostFrequent(tallies.refusals).map(([reason, count]) => ({ reason, count })),
    tokens: mostFrequent(tallies.tokens).map(([grant_type, count]) => ({ grant_type, count })),
    latency: {
      ...durationsOf(latencyOf(all.all ?? {})),
      routes: routes.map((route, at) => ({ route, ...durationsOf(latencyOf(histograms[at] ?? {})) })),
    },
  };
}

function mostFrequent(counts: Readonly<Record<string, number>> = {}): [string, number][] {
  return Object.entries(counts).sort(([name, one], [otherName, other]) => other - one || (name < otherName ? -1 : 1));
}

function durationsOf({ count, p50, p95, p99 }: Latency) {
  return { count, p50_ms: p50, p95_ms: p95, p99_ms: p99 };
}

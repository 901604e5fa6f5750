import type { Row } from '../../platform/store/row.ts';
import { advisoryLock, among, type Query, sql } from '../../platform/store/sql.ts';
import { type ColdDatabase, rowsOf, runAll, type Steps } from '../../platform/store/steps.ts';
import { addTallies, STATISTICS_STEPS, type StatisticsStep, startOf, type Tallies } from './rules.ts';
import type { CountedBatch, CountedHour, Statistics, StatisticsPoint, StatisticsQuery } from './store.ts';

/** In place of the code of an application, which no application can have: the whole deployment. */
const DEPLOYMENT = '*';

/** A process that sends a batch again does so every minute. The number of its last one is kept for a week. */
const WRITER_RETENTION_SECONDS = 604_800;

/** "stat" as a number: one process at a time reads the counters and adds to them. */
const LOCK = advisoryLock(0x73746174);

/**
 * All counters of an application and hour are one row of JSON. As a row for each counter they would take ten times the space, and most
 * of it would be keys.
 */
export function coldStatistics(db: ColdDatabase): Statistics {
  return {
    addStatistics: (batch, now) => db.transaction(() => add(batch, now)),
    listStatistics: async query => sumByTime(await db.read(selection(query))),
  };
}

interface Counted {
  readonly step: StatisticsStep;
  readonly time: number;
  readonly app: string;
  readonly tallies: Tallies;
}

function* add({ writer, seq, hours }: CountedBatch, now: number): Steps<void> {
  yield* rowsOf(sql`SELECT ${LOCK} AS locked`);
  const first = yield* rowsOf(sql`INSERT INTO statistics_writers (writer, seq, expires_at)
    VALUES (${writer}, ${seq}, ${now + WRITER_RETENTION_SECONDS})
    ON CONFLICT (writer) DO UPDATE SET seq = excluded.seq, expires_at = excluded.expires_at
      WHERE statistics_writers.seq < excluded.seq
    RETURNING 1`);
  if (first.length === 0) return;
  const additions = additionsOf(hours);
  const periods = [...Map.groupBy(additions.values(), ({ step, time }) => `${step} ${time}`).values()];
  const stored = yield* runAll(periods.map(present));
  for (const row of stored.flat()) {
    const key = keyOf(row.step as string, row.time as number, row.app as string);
    const addition = additions.get(key);
    if (addition) additions.set(key, { ...addition, tallies: addTallies(toTallies(row.data), addition.tallies) });
  }
  yield* runAll([...additions.values()].map(put));
}

/** Each hour counts for its application and for the deployment, by hour and by day. */
function additionsOf(hours: readonly CountedHour[]): Map<string, Counted> {
  const additions = new Map<string, Counted>();
  for (const { time: counted, app, tallies } of hours) {
    for (const owner of app === undefined ? [DEPLOYMENT] : [app, DEPLOYMENT]) {
      for (const step of Object.keys(STATISTICS_STEPS) as StatisticsStep[]) {
        const time = startOf(step, counted);
        const key = keyOf(step, time, owner);
        const before = additions.get(key)?.tallies ?? {};
        additions.set(key, { step, time, app: owner, tallies: addTallies(before, tallies) });
      }
    }
  }
  return additions;
}

function keyOf(step: string, time: number, app: string): string {
  return `${step} ${time} ${app}`;
}

/** What is stored of one hour or day. */
function present(period: readonly Counted[]): Query {
  const [{ step, time }] = period as [Counted];
  return sql`SELECT step, time, app, data FROM statistics
    WHERE app ${among(period.map(({ app }) => app))} AND step = ${step} AND time = ${time}`;
}

function put({ step, time, app, tallies }: Counted): Query {
  const { seconds, retentionSeconds } = STATISTICS_STEPS[step];
  return sql`INSERT INTO statistics (app, step, time, data, expires_at)
    VALUES (${app}, ${step}, ${time}, ${JSON.stringify(tallies)}, ${time + seconds + retentionSeconds})
    ON CONFLICT (app, step, time) DO UPDATE SET data = excluded.data`;
}

function selection({ step, apps, from, to }: StatisticsQuery): Query {
  return sql`SELECT time, data FROM statistics
    WHERE app ${among(apps ?? [DEPLOYMENT])} AND step = ${step} AND time >= ${from} AND time < ${to} ORDER BY time`;
}

/** The rows are in the order of time. */
function sumByTime(rows: readonly Row[]): StatisticsPoint[] {
  const sums = new Map<number, Tallies>();
  for (const { time, data } of rows) {
    const before = sums.get(time as number);
    const tallies = toTallies(data);
    sums.set(time as number, before ? addTallies(before, tallies) : tallies);
  }
  return [...sums].map(([time, tallies]) => ({ time, tallies }));
}

function toTallies(data: Row[string] | undefined): Tallies {
  return JSON.parse(data as string);
}

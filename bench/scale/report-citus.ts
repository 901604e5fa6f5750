/** The tables of docs/scale.md about the largest deployments, and about Citus. */
import { type Behaviour, operations } from './assumptions.ts';
import { type Attempt, type Limit, type PlanOptions, tryDatabases } from './attempt.ts';
import { largest, planCitus } from './plan.ts';
import type { Citus } from './recorded.ts';
import { busy, type Cells, latency, number, size, table, withSpare } from './report.ts';

/** What changes the size that one cluster can have. Logouts end it first, so the others are without them. */
const VARIANTS: readonly (readonly [string, Partial<Behaviour>])[] = [
  ['as assumed', {}],
  ['nobody signs out (`logouts` 0)', { logouts: 0 }],
  ['the same, 10 applications', { logouts: 0, applications: 10 }],
  ['the same, an application with a tenth of the load (`largest` 0.1)', { logouts: 0, largest: 0.1 }],
  ['the same, JWTs as access tokens', { logouts: 0, introspections: 0 }],
  ['the same, JWTs, events of 90 days', { logouts: 0, introspections: 0, eventDays: 90 }],
];
/** Fewer than for a plan: the size is found by trying many. */
const REQUESTS = 15_000;

/** Of one deployment: on each machine alone, and on Citus. */
export function largestTable(options: PlanOptions): string {
  const fewer = { ...options, requests: Math.min(REQUESTS, options.requests ?? REQUESTS) };
  const alone = options.machines.database.map(machine => {
    const name = `PostgreSQL: ${machine.cores} cores, ${machine.memoryGb} GB, ${size(machine.diskGb * 1e9)}`;
    return largestRow(name, users => tryDatabases(users, machine, 1, fewer));
  });
  const citus = (options.recorded.citus ? VARIANTS : []).map(([name, different]) => {
    const behaviour = { ...options.behaviour, ...different };
    return largestRow(`Citus: ${name}`, users => planCitus(users, { ...fewer, behaviour }));
  });
  return table(
    [
      '',
      'users',
      'workers, nodes',
      'processors of coordinator, workers',
      'introspection p50, p99 ms',
      'refresh p50, p99 ms',
      'what more users lack',
    ],
    [...alone, ...citus],
  );
}

function largestRow(name: string, planOne: (users: number) => Attempt | Limit): Cells {
  const found = largest(planOne);
  if (!found) return [name, '–', '', '', '', '', ''];
  const { users, databases, nodes, outcome } = found.plan;
  const { coordinatorBusy, databaseBusy } = outcome;
  return [
    name,
    `${number(users / 1e6, 2)} million`,
    databases > 1 ? `${databases}, ${withSpare(nodes)}` : `–, ${withSpare(nodes)}`,
    databases > 1 ? `${busy(coordinatorBusy)}, ${busy(databaseBusy)}` : `–, ${busy(databaseBusy)}`,
    latency(outcome.latency.introspection),
    latency(outcome.latency.refresh),
    found.limit,
  ];
}

export function citusCostTable({ points }: Citus): string {
  return table(
    [
      '',
      'applications',
      'connections',
      'requests/s',
      'p50, p99 ms',
      'node µs',
      'coordinator µs',
      'workers µs',
      'calls',
    ],
    operations.flatMap(name =>
      points[name].map(point => [
        name,
        number(point.applications, 1),
        point.connections,
        number(point.perSecond),
        latency(point),
        number(point.nodeUs),
        number(point.coordinatorUs),
        number(point.workerUs),
        number(point.calls, 2),
      ]),
    ),
  );
}

export function logoutTable({ logout }: Citus): string {
  const cells = logout ? [logout.p50, logout.crowdedMs, logout.coordinatorUs, logout.workerUs] : [];
  return table(
    ['p50 ms, one after the other', 'ms for each of many at once', 'coordinator µs', 'workers µs'],
    [cells.map(value => number(value))],
  );
}

export function referenceTable({ referenceWrites }: Citus): string {
  return table(
    ['workers', 'p50 ms', 'coordinator µs', 'each worker µs'],
    referenceWrites.map(({ workers, p50, coordinatorUs, workerUs }) => [
      workers,
      number(p50),
      number(coordinatorUs),
      number(workerUs),
    ]),
  );
}

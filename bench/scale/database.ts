/** The database of the simulation: one PostgreSQL, or a Citus cluster with a coordinator and workers. Times in microseconds. */
import type { SeededRandom } from './random.ts';
import type { Backend, Call, Database } from './server-process.ts';
import type { CommitLog, Processor } from './stations.ts';
import type { Timeline } from './timeline.ts';

/** A machine that holds rows. */
export interface Primary {
  readonly processor: Processor;
  readonly log: CommitLog;
}

export interface DatabaseSettings {
  readonly timeline: Timeline;
  readonly random: SeededRandom;
  /** One way between two machines; a page that is not in memory; what a commit waits for besides its flush. */
  readonly networkUs: number;
  readonly readUs: number;
  readonly commitDelayUs: number;
  /** Quantiles of the processor time of one statement against its mean. */
  readonly spread: readonly number[];
}

export function postgresDatabase(primary: Primary, settings: DatabaseSettings): Database {
  return databaseWith(settings, false, (group, owner, done) => executeOn(primary, settings, group, owner, done));
}

/** Every statement passes the coordinator, which passes it on to the worker of its application and waits for it. */
export function citusDatabase(
  coordinator: Processor,
  workers: readonly Primary[],
  settings: DatabaseSettings,
): Database {
  const { timeline, random, networkUs, spread } = settings;
  return databaseWith(settings, true, (group, owner, done) => {
    const worker = workers[(group[0]?.application ?? 0) % workers.length] as Primary;
    coordinator.run(
      timeFor(group, ({ costs }) => costs.coordinator ?? { statement: 0, row: 0 }) * random.from(spread),
      () =>
        timeline.after(networkUs, () =>
          executeOn(worker, settings, group, owner, () => timeline.after(networkUs, done)),
        ),
      owner,
    );
  });
}

type Execute = (group: readonly Call[], owner: object, done: () => void) => void;

/** A backend executes one group after the other. Statements of one operation before the last one are ways there and back. */
function databaseWith({ timeline, networkUs }: DatabaseSettings, isByApplication: boolean, execute: Execute): Database {
  let statements = 0;
  const connect = (): Backend => {
    const waiting: (() => void)[] = [];
    const owner = {};
    const next = () => {
      waiting.shift();
      waiting[0]?.();
    };
    return {
      execute(group, answered) {
        statements++;
        const start = () =>
          execute(group, owner, () => {
            timeline.after(networkUs, answered);
            next();
          });
        const trips = Math.max(...group.map(({ costs }) => costs.trips));
        timeline.after(networkUs * (2 * trips - 1), () => {
          if (waiting.push(start) === 1) start();
        });
      },
    };
  };
  return { isByApplication, connect, statements: () => statements };
}

function executeOn(
  { processor, log }: Primary,
  { timeline, random, readUs, commitDelayUs, spread }: DatabaseSettings,
  group: readonly Call[],
  owner: object,
  done: () => void,
): void {
  /** Of 1.3 pages on average, one or two in each case. */
  const reads = (misses: number) => Math.floor(misses) + (random.next() < misses % 1 ? 1 : 0);
  const waitForPages = group.reduce((sum, { costs }) => sum + reads(costs.misses), 0) * readUs;
  const bytes = group.reduce((sum, { costs }) => sum + costs.bytes, 0);
  const commit = () => log.commit(bytes, () => timeline.after(commitDelayUs, done));
  processor.run(
    timeFor(group, ({ costs }) => costs) * random.from(spread),
    () => timeline.after(waitForPages, group[0]?.costs.kind === 'write' ? commit : done),
    owner,
  );
}

/** Equal operations share a statement; those of one group share a commit. */
function timeFor(
  group: readonly Call[],
  of: (call: Call) => { readonly statement: number; readonly row: number },
): number {
  const first = [...new Map(group.map(call => [call.costs, call])).values()];
  const statements = first.reduce((sum, call) => sum + of(call).statement, 0);
  return group.reduce((sum, call) => sum + of(call).row, statements);
}

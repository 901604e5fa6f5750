/** What must be reached: ratios within one run, the median of its rounds, and what a process may cost. */
import { titles, type Work } from '../fixture.ts';
import type { Measurement } from '../measure.ts';
import type { StoreName } from '../options.ts';
import { FLOOR } from '../servers/floor.ts';
import { GATEHOUSE } from '../servers/gatehouse.ts';
import { OIDC_PROVIDER } from '../servers/oidc-provider.ts';
import type { Storm } from '../storm.ts';
import { median } from './median.ts';

export interface StoreResult {
  readonly store: StoreName;
  readonly measurements: readonly Measurement[];
  /** Milliseconds; the first without compiled sources. */
  readonly starts: readonly number[];
  /** MB. */
  readonly idleMemory: number | undefined;
  /** Of every server of ours, after all of it. */
  readonly memoryOf: Readonly<Record<string, number>>;
  readonly memory: { readonly requests: number; readonly megabytes: number | undefined };
  readonly storm: Storm | undefined;
}

export interface Row {
  readonly store: StoreName;
  readonly what: string;
  readonly target: string;
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
  /** The same ratio of requests per second of processor time: steadier where other programs share the machine. */
  readonly byCpu?: number;
  readonly unit: '' | '×' | 'ms' | 'MB';
  readonly reached: boolean;
  readonly note?: string;
}

interface Comparison {
  readonly works: readonly Work[];
  readonly with: string;
  readonly atLeast: Readonly<Record<StoreName, number>>;
}

const comparisons: readonly Comparison[] = [
  { works: ['introspection', 'userinfo'], with: FLOOR, atLeast: { sqlite: 0.75, postgres: 0.8 } },
  { works: ['code', 'refresh'], with: FLOOR, atLeast: { sqlite: 0.7, postgres: 0.75 } },
  { works: ['introspection'], with: OIDC_PROVIDER, atLeast: { sqlite: 2.3, postgres: 3 } },
  { works: ['refresh'], with: OIDC_PROVIDER, atLeast: { sqlite: 3, postgres: 4 } },
];
const MOST_START_MS = { sqlite: 500, postgres: 700 } as const;
const MOST_MEMORY_MB = 150;
const MOST_STORM = 3;
const FULL_MEMORY_TEST = 1_000_000;

export function targetRows(result: StoreResult): Row[] {
  const { store, storm, starts, memory } = result;
  const ratios = comparisons.flatMap(({ works, with: other, atLeast }) =>
    works.map(work => compare(result, work, other, atLeast[store])),
  );
  const rows = ratios.filter(row => row !== undefined);
  if (storm) rows.push(stormRow(store, storm));
  const warm = starts.slice(1);
  if (warm.length > 0) rows.push(atMost(store, 'start to first answer', warm, MOST_START_MS[store], 'ms'));
  if (memory.megabytes !== undefined) {
    const short = memory.requests < FULL_MEMORY_TEST ? { note: 'of a million' } : {};
    const what = `memory after ${memory.requests.toLocaleString('en')} requests`;
    rows.push({ ...atMost(store, what, [memory.megabytes], MOST_MEMORY_MB, 'MB'), ...short });
  }
  return rows;
}

/** oidc-provider beside the embedded store keeps everything in memory. */
export function shownServer(store: StoreName, server: string): string {
  return server === OIDC_PROVIDER && store === 'sqlite' ? `${server} in memory` : server;
}

export interface Ratios {
  readonly perSecond: readonly number[];
  readonly byCpu: readonly number[];
}

/** Round by round: both sides of a ratio saw the same machine. */
export function ratiosOf(measurements: readonly Measurement[], work: Work, other: string): Ratios | undefined {
  const scored = Math.max(...measurements.map(({ connections }) => connections));
  const ofWork = measurements.filter(
    entry => entry.work === work && entry.loop === 'closed' && entry.connections === scored,
  );
  const rounds = [...Map.groupBy(ofWork, ({ round }) => round).values()];
  const pairs = rounds.flatMap(entries => {
    const own = entries.find(({ server }) => server === GATEHOUSE);
    const theirs = entries.find(({ server }) => server === other);
    return own && theirs ? [{ own, theirs }] : [];
  });
  if (pairs.length === 0) return undefined;
  return {
    perSecond: pairs.map(({ own, theirs }) => own.perSecond / theirs.perSecond),
    byCpu: pairs.map(({ own, theirs }) => (theirs.serverCpu ?? Number.NaN) / (own.serverCpu ?? Number.NaN)),
  };
}

function compare({ store, measurements }: StoreResult, work: Work, other: string, atLeast: number): Row | undefined {
  const ratios = ratiosOf(measurements, work, other);
  if (!ratios) return undefined;
  const value = median(ratios.perSecond);
  const whom = other === FLOOR ? 'of the floor' : `against ${shownServer(store, other)}`;
  return {
    store,
    what: `${titles[work]}, ${whom}`,
    target: `≥ ${atLeast}${atLeast > 1 ? ' ×' : ''}`,
    median: value,
    lowest: Math.min(...ratios.perSecond),
    highest: Math.max(...ratios.perSecond),
    byCpu: median(ratios.byCpu),
    unit: atLeast > 1 ? '×' : '',
    reached: value >= atLeast,
  };
}

function stormRow(store: StoreName, { idle, during, logins, refused }: Storm): Row {
  const ratios = during.map((p99, round) => p99 / (idle[round] ?? Number.NaN));
  const row = atMost(store, 'p99 of introspection while 50 logins/s queue, against idle', ratios, MOST_STORM, '×');
  const turnedAway = refused === 0 ? 'none' : String(refused);
  return {
    ...row,
    note: `${median(idle).toFixed(1)} → ${median(during).toFixed(1)} ms; ${logins} logins, ${turnedAway} turned away`,
  };
}

function atMost(store: StoreName, what: string, values: readonly number[], most: number, unit: 'ms' | 'MB' | '×'): Row {
  const value = median(values);
  const range = { lowest: Math.min(...values), highest: Math.max(...values) };
  return { store, what, target: `≤ ${most} ${unit}`, median: value, ...range, unit, reached: value <= most };
}

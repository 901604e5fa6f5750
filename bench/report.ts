import type { Sample, Work } from './load/load.ts';
import type { Options } from './options.ts';

export interface Measurement extends Sample {
  readonly work: Work;
  readonly server: string;
  readonly round: number;
}

export interface Process {
  /** Milliseconds to the first answer; the first one without compiled sources. */
  readonly starts: readonly number[];
  /** MB. */
  readonly rssIdle: number;
  readonly rssAfterLoad: number;
}

export interface Row {
  readonly what: string;
  readonly value: number;
  readonly shown: string;
  /** The same ratio of requests per second of processor time: steadier where other programs share the machine. */
  readonly byProcessor?: string;
  readonly target: string;
  readonly reached: boolean;
}

interface Comparison {
  readonly work: Work;
  readonly with: string;
  readonly atLeast: number;
}

const FLOOR = 'bare node:http';

const comparisons: Readonly<Record<Options['store'], readonly Comparison[]>> = {
  sqlite: [
    { work: 'introspection', with: FLOOR, atLeast: 0.45 },
    { work: 'userinfo', with: FLOOR, atLeast: 0.45 },
    { work: 'introspection', with: 'oidc-provider', atLeast: 2 },
    { work: 'userinfo', with: 'oidc-provider', atLeast: 2 },
    { work: 'refresh', with: 'oidc-provider', atLeast: 2 },
    { work: 'authorization', with: FLOOR, atLeast: 0.25 },
  ],
  postgres: [
    { work: 'introspection', with: 'oidc-provider', atLeast: 3 },
    { work: 'userinfo', with: 'oidc-provider', atLeast: 3 },
    { work: 'refresh', with: 'oidc-provider', atLeast: 2 },
    { work: 'introspection', with: FLOOR, atLeast: 0.25 },
  ],
};
const MOST_IDLE_MB = 120;
const MOST_START_MS = 2000;
/** Above this share of its core the generator, not the server, may have set the pace. */
const GENERATOR_LIMIT = 0.9;
const FULL_CORE = 0.9;

export function report(
  store: Options['store'],
  measurements: readonly Measurement[],
  { starts, rssIdle, rssAfterLoad }: Process,
): { readonly table: string; readonly rows: readonly Row[] } {
  const [cold = 0, ...warm] = starts;
  const rows = [
    ...comparisons[store].map(comparison => compare(measurements, comparison)),
    atMost('idle memory (RSS)', rssIdle, MOST_IDLE_MB, 'MB'),
    atMost('start, without compiled sources', cold, MOST_START_MS, 'ms'),
    atMost('start, median', median(warm), MOST_START_MS, 'ms'),
  ];
  const lines = [
    '| measure | Gatehouse | by server CPU | target | reached |',
    '|---|---|---|---|---|',
    ...rows.map(line),
    '',
    ...absolute(measurements),
    '',
    `Memory after the load: ${Math.round(rssAfterLoad)} MB.`,
    ...generatorWarning(measurements),
    ...sharedCoreWarning(measurements),
  ];
  return { table: lines.join('\n'), rows };
}

function line({ what, shown, byProcessor = '', target, reached }: Row): string {
  return `| ${what} | ${shown} | ${byProcessor} | ${target} | ${reached ? 'yes' : '**no**'} |`;
}

/** Round by round, then the median: both sides of a ratio saw the same machine. */
function compare(measurements: readonly Measurement[], { work, with: other, atLeast }: Comparison): Row {
  const rounds = Map.groupBy(
    measurements.filter(entry => entry.work === work),
    ({ round }) => round,
  );
  const ratios = (of: (entry: Measurement) => number) =>
    [...rounds.values()].map(entries => {
      const rate = (server: string) => entries.filter(entry => entry.server === server).map(of)[0] ?? Number.NaN;
      return rate('gatehouse') / rate(other);
    });
  const shown = (value: number) => (atLeast < 1 ? `${Math.round(value * 100)} %` : `${value.toFixed(2)} ×`);
  const perSecond = ratios(entry => entry.perSecond);
  const value = median(perSecond);
  return {
    what: `${work}, against ${other}`,
    value,
    shown: `${shown(value)} (${shown(Math.min(...perSecond))} to ${shown(Math.max(...perSecond))})`,
    byProcessor: shown(median(ratios(perProcessorSecond))),
    target: `at least ${shown(atLeast)}`,
    reached: value >= atLeast,
  };
}

function perProcessorSecond({ perSecond, serverBusy }: Measurement): number {
  return perSecond / (serverBusy ?? Number.NaN);
}

function atMost(what: string, value: number, most: number, unit: string): Row {
  const shown = `${Math.round(value)} ${unit}`;
  return { what, value, shown, target: `under ${most} ${unit}`, reached: value < most };
}

function absolute(measurements: readonly Measurement[]): string[] {
  const groups = Map.groupBy(measurements, ({ work, server }) => `${work} | ${server}`);
  const lines = [...groups].map(([name, entries]) => {
    const middle = (of: (entry: Measurement) => number | undefined) =>
      median(entries.map(entry => of(entry) ?? Number.NaN));
    const busy = middle(entry => entry.serverBusy);
    const cells = [
      Math.round(middle(entry => entry.perSecond)),
      Math.round(middle(perProcessorSecond)),
      middle(entry => entry.p50).toFixed(1),
      middle(entry => entry.p99).toFixed(1),
      `${Math.round(busy * 100)} %`,
    ];
    return `| ${name} | ${cells.join(' | ')} |`;
  });
  return [
    '| work | server | requests/s | per s of server CPU | p50 ms | p99 ms | server core used |',
    '|---|---|---|---|---|---|---|',
    ...lines.sort(),
  ];
}

function generatorWarning(measurements: readonly Measurement[]): string[] {
  const most = Math.max(0, ...measurements.map(({ generatorBusy }) => generatorBusy ?? 0));
  const share = `The generator of the refreshes used at most ${Math.round(most * 100)} % of its core`;
  return [most > GENERATOR_LIMIT ? `${share}: it may have been the limit, not the server.` : `${share}.`];
}

/** The bare server has nothing to wait for: it fills its core, unless it is kept from it. */
function sharedCoreWarning(measurements: readonly Measurement[]): string[] {
  const busy = median(measurements.filter(({ server }) => server === FLOOR).map(({ serverBusy }) => serverBusy ?? 1));
  if (busy >= FULL_CORE) return [];
  return [
    'The bare server could not fill its core, for lack of load or because of other programs: go by the ratios by server CPU.',
  ];
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

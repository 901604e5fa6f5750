/** The tables of docs/scale.md. */
import { GOAL_MS, type Machines, operations, total } from './assumptions.ts';
import { MAX_DEPLOYMENTS, type Plan, type Unplanned } from './plan.ts';
import type { Comparison } from './predict.ts';
import type { Recorded } from './recorded.ts';
import { sumOf, tables } from './rows.ts';

export type Cells = readonly (string | number)[];

export function table(head: Cells, lines: readonly Cells[]): string {
  const line = (cells: Cells) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...lines.map(line)].join('\n');
}

export function number(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return '–';
  if (value !== 0 && Math.abs(value) < 0.01) return value.toExponential(1);
  const rounded = Number(value.toPrecision(Math.max(digits, Math.ceil(Math.log10(Math.abs(value) + 1)))));
  return rounded.toLocaleString('en-US', { maximumFractionDigits: 3 });
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;

export function size(bytes: number): string {
  const step = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  return `${Number((bytes / 1000 ** step).toPrecision(3))} ${UNITS[step]}`;
}

/** One more node for every twenty that the peak needs, at least one: a machine may fail or be replaced. */
export function withSpare(nodes: number): number {
  return nodes + Math.max(1, Math.ceil(nodes / 20));
}

export function busy(share: number): string {
  return `${Math.round(share * 100)} %`;
}

const DAY_SECONDS = 86_400;

/** One sentence or two for somebody who asked for what cannot be had, such as regions that are far apart. */
export function whyUnplanned({ users, limit }: Unplanned, { networkUs, standbyNetworkUs, standbys }: Machines): string {
  const tried = `There is no plan for ${number(users, 1)} users with up to ${MAX_DEPLOYMENTS} deployments. What is lacking: ${limit}.`;
  if (limit !== 'latency') return tried;
  const [way, commit] = [(2 * networkUs) / 1000, standbys > 0 ? (2 * standbyNetworkUs) / 1000 : 0];
  return `${tried} A statement is ${number(way)} ms on its way to the database and back, and a commit waits ${number(commit)} ms more for a standby; 99 of 100 requests are to be answered in ${GOAL_MS} ms.`;
}

const isCitus = ({ databases, deployments }: Plan): boolean => databases > deployments;

export function planTable(plans: readonly Plan[], nodeCores: number, nodeMemoryMb: number): string {
  const row = (name: string, of: (plan: Plan) => string): Cells => [name, ...plans.map(of)];
  return table(
    ['users', ...plans.map(({ users }) => number(users, 1))],
    [
      row('peak requests/s', ({ rates }) => number(total(rates))),
      ...operations.map(name => row(`– ${name}`, ({ rates }) => number(rates[name]))),
      row(`nodes of ${nodeCores} cores, with the spare`, ({ nodes }) => number(withSpare(nodes), 9)),
      row('– memory of a node', () => `${number((nodeMemoryMb * nodeCores) / 1000, 2)} GB`),
      row('– processors at the peak', ({ outcome }) => busy(outcome.nodeBusy)),
      row('database machines, with standbys', ({ databaseMachines }) => number(databaseMachines, 9)),
      row('– deployments that share nothing', plan =>
        isCitus(plan)
          ? `${plan.deployments} of Citus, ${plan.databases / plan.deployments} workers each`
          : `${plan.deployments}`,
      ),
      row('– cores, memory of each', ({ machine }) => `${machine.cores}, ${machine.memoryGb} GB`),
      row('– processors at the peak', ({ outcome }) => busy(outcome.databaseBusy)),
      ...(plans.some(isCitus)
        ? [row('– of the coordinator', plan => (isCitus(plan) ? busy(plan.outcome.coordinatorBusy) : ''))]
        : []),
      row('– disk of each primary', ({ diskBytes }) => size(diskBytes)),
      row('all rows with their indexes', ({ tableBytes }) => size(sumOf(tableBytes))),
      row('WAL at the peak, each primary', ({ walBytes, databases }) => `${size(walBytes / databases)}/s`),
      row('– a day', ({ walBytes, databases, peak }) => size((walBytes / databases / peak) * DAY_SECONDS)),
      row('transactions of a day that write, each primary, at most', ({ writes, databases, peak }) =>
        number((writes / databases / peak) * DAY_SECONDS),
      ),
      row('pages read at the peak, each primary', ({ reads, databases }) => `${number(reads / databases)}/s`),
      row('network, clients to nodes', ({ networkBytes }) => `${size(networkBytes.client)}/s`),
      row('network, nodes to databases', ({ networkBytes }) => `${size(networkBytes.database)}/s`),
      row('introspection p50, p99 ms', ({ outcome }) => latency(outcome.latency.introspection)),
      row('refresh p50, p99 ms', ({ outcome }) => latency(outcome.latency.refresh)),
      row('login p50, p99 ms', ({ outcome }) => latency(outcome.latency.password)),
      row('what a smaller database lacks', ({ limit }) => limit),
    ],
  );
}

export function latency({ p50, p99 }: { readonly p50: number; readonly p99: number }): string {
  return `${number(p50, 2)}, ${number(p99, 2)}`;
}

export function tablesOfPlan(plans: readonly Plan[]): string {
  return table(
    ['rows, bytes', ...plans.map(({ users }) => number(users, 1))],
    tables.map(name => [
      name,
      ...plans.map(({ rows, tableBytes }) => `${count(rows[name])}, ${size(tableBytes[name])}`),
    ]),
  );
}

function count(value: number): string {
  const step = Math.min(3, Math.max(0, Math.floor(Math.log10(Math.max(1, value)) / 3)));
  return `${Number((value / 1000 ** step).toPrecision(2))}${['', ' k', ' M', ' G'][step]}`;
}

export function comparisonTable(comparisons: readonly Comparison[]): string {
  const columns = [...new Set(comparisons.map(({ column }) => column))];
  const names = [...new Set(comparisons.map(({ what }) => what))];
  const cell = (column: string, what: string): string => {
    const found = comparisons.find(one => one.column === column && one.what === what);
    if (!found) return '';
    const { predicted, measured, calibrated } = found;
    const ratio = measured === 0 && predicted < 0.05 ? '=' : `${(predicted / measured).toFixed(2)} ×`;
    return `${number(predicted)} / ${number(measured)}: ${calibrated ? `(${ratio})` : ratio}`;
  };
  return table(
    ['predicted / measured: ratio', ...columns],
    names.map(what => [what, ...columns.map(column => cell(column, what))]),
  );
}

/** What one of each operation costs, at each size, alone and with many connections. */
export function costTable({ sizes, network }: Recorded): string {
  const cells = operations.flatMap(name =>
    sizes.map(({ users, points }) => {
      const [alone, crowded] = [points[name][0], points[name].at(-1)];
      if (!alone || !crowded) return [];
      const pair = (of: 'nodeUs' | 'databaseUs') => `${number(alone[of])}, ${number(crowded[of])}`;
      return [
        name,
        number(users, 1),
        pair('nodeUs'),
        pair('databaseUs'),
        number(alone.p50),
        number(crowded.rowsWritten, 2),
        number(crowded.walBytes),
        number(crowded.pageImages, 2),
        `${network[name].client}, ${network[name].database}`,
      ];
    }),
  );
  const head = [
    '',
    'users',
    'node µs: alone, crowded',
    'database µs: alone, crowded',
    'p50 ms alone',
    'rows written',
    'WAL bytes',
    'page images',
    'network bytes: client, database',
  ];
  return table(head, cells);
}

export function rowTable({ sizes }: Recorded): string {
  const each = (name: (typeof tables)[number], index: number): string => {
    const point = sizes[index];
    if (!point) return '';
    const [heap, all] = [
      point.sizes[name].heap ?? 0,
      Object.values(point.sizes[name]).reduce((sum, bytes) => sum + bytes, 0),
    ];
    return `${Math.round(heap / point.rows[name])} + ${Math.round((all - heap) / point.rows[name])}`;
  };
  return table(
    ['bytes of a row + its indexes', ...sizes.map(({ users }) => `${number(users, 1)} users`)],
    tables.map(name => [name, ...sizes.map((_, index) => each(name, index))]),
  );
}

import { rs256Works, titles, type Work, works } from '../fixture.ts';
import type { Measurement } from '../measure.ts';
import { FLOOR } from '../servers/floor.ts';
import { GATEHOUSE } from '../servers/gatehouse.ts';
import { median } from './median.ts';
import { type Row, ratiosOf, type StoreResult, shownServer } from './targets.ts';

const stores = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const;

/** Operations of the store for one request; test/http/store-operations.test.ts counts them. */
const storeOperations: Readonly<Record<Work, number>> = {
  introspection: 1,
  userinfo: 1,
  code: 1,
  'code-rs256': 1,
  refresh: 1,
  'refresh-rs256': 1,
  password: 2,
  authorization: 2,
  discovery: 0,
  jwks: 0,
};

export function targetTable(rows: readonly Row[]): string {
  return table(
    ['', 'store', 'target', 'median', 'lowest to highest', 'by server CPU', 'reached'],
    rows.map(row => [
      row.note === undefined ? row.what : `${row.what} (${row.note})`,
      stores[row.store],
      row.target,
      shown(row.median, row.unit),
      `${shown(row.lowest, row.unit)} to ${shown(row.highest, row.unit)}`,
      row.byCpu === undefined ? '' : shown(row.byCpu, row.unit),
      row.reached ? 'yes' : '**no**',
    ]),
  );
}

/** At the number of connections that is scored: throughput in a closed loop, latency in an open one at half of it. */
export function serverTable({ store, measurements }: StoreResult): string {
  const scored = mostConnections(measurements);
  const atScored = measurements.filter(({ connections }) => connections === scored);
  const rows = works.flatMap(work => {
    const ofWork = atScored.filter(entry => entry.work === work);
    return serversIn(measurements).flatMap(server => {
      const own = ofWork.filter(entry => entry.server === server);
      if (own.length > 0) return [serverRow(store, work, server, own)];
      // The floor and its like are no peers: what they do not do is not missing. Nor is what only Gatehouse is asked for.
      const missing = ofWork.length > 0 && server !== FLOOR && !server.startsWith('bare') && !rs256Works.includes(work);
      return missing ? [[titles[work], shownServer(store, server), 'has no such endpoint', ...Array(8).fill('')]] : [];
    });
  });
  const head = ['work', 'server', 'requests/s', 'p50 ms', 'p99 ms', 'p99.9 ms', 'at requests/s', 'server CPU µs'];
  return table([...head, 'database CPU µs', 'statements', 'store operations'], rows);
}

function serverRow(store: StoreResult['store'], work: Work, server: string, own: readonly Measurement[]): string[] {
  const closed = own.filter(({ loop }) => loop === 'closed');
  const open = own.find(({ loop }) => loop === 'open');
  const middle = (of: (entry: Measurement) => number | undefined) =>
    median(closed.map(entry => of(entry) ?? Number.NaN));
  return [
    titles[work],
    shownServer(store, server),
    count(middle(({ perSecond }) => perSecond)),
    fraction(open?.p50),
    fraction(open?.p99),
    fraction(open?.p999),
    count(open?.perSecond),
    count(middle(({ serverCpu }) => serverCpu)),
    store === 'sqlite' ? 'in the server' : count(middle(({ databaseCpu }) => databaseCpu)),
    fraction(middle(({ statements }) => statements)),
    server === GATEHOUSE ? String(storeOperations[work]) : '',
  ];
}

/** How throughput and latency of the closed loop grow with the connections. */
export function connectionTable({ store, measurements }: StoreResult): string {
  const closed = measurements.filter(({ loop }) => loop === 'closed');
  const counts = [...new Set(closed.map(({ connections }) => connections))].sort((a, b) => a - b);
  const rows = works.flatMap(work =>
    serversIn(measurements).flatMap(server => {
      const own = closed.filter(entry => entry.work === work && entry.server === server);
      if (own.length === 0 || server === FLOOR || server.startsWith('bare')) return [];
      const cells = counts.map(connections => {
        const at = own.filter(entry => entry.connections === connections);
        const middle = (of: (entry: Measurement) => number) => median(at.map(of));
        return `${count(middle(entry => entry.perSecond))} (${fraction(middle(entry => entry.p50))} / ${fraction(middle(entry => entry.p99))})`;
      });
      return [[titles[work], shownServer(store, server), ...cells]];
    }),
  );
  return table(
    [
      'work',
      'server',
      ...counts.map(connections => `${connections} ${connections === 1 ? 'connection' : 'connections'}`),
    ],
    rows,
  );
}

/** What else is to be known, and where the generator or another program, not the server, may have set the pace. */
export function remarks({ store, measurements, memoryOf, starts, idleMemory }: StoreResult): string[] {
  const closed = measurements.filter(({ loop }) => loop === 'closed');
  const busiest = Math.max(...closed.map(({ generatorBusy }) => generatorBusy));
  const lines = [`${stores[store]}: the generator used at most ${Math.round(busiest * 100)} % of its core.`];
  const floor = closed.filter(({ server }) => server === FLOOR).map(({ serverBusy }) => serverBusy ?? 1);
  if (store === 'sqlite' && median(floor) < 0.9) {
    lines.push(
      'The floor could not fill its core, because of other programs or the disk: go by the ratios by server CPU.',
    );
  }
  const others = [...new Set(closed.map(({ server }) => server))].filter(server => server !== GATEHOUSE);
  for (const other of others) {
    const shares = works.flatMap(work => {
      const ratios = ratiosOf(measurements, work, other);
      return ratios
        ? [`${titles[work]} ${median(ratios.perSecond).toFixed(2)} (${median(ratios.byCpu).toFixed(2)} by CPU)`]
        : [];
    });
    lines.push(`Gatehouse against ${shownServer(store, other)}: ${shares.join(', ')}.`);
  }
  const [cold] = starts;
  if (cold !== undefined) lines.push(`Without compiled sources the start takes ${Math.round(cold)} ms.`);
  const memory = Object.entries(memoryOf).map(
    ([server, size]) => `${shownServer(store, server)} ${Math.round(size)} MB`,
  );
  const idle = idleMemory === undefined ? '' : ` (Gatehouse idle: ${Math.round(idleMemory)} MB)`;
  lines.push(`Memory after all of it: ${memory.join(', ')}${idle}.`);
  return lines;
}

export function mostConnections(measurements: readonly Measurement[]): number {
  return Math.max(...measurements.map(({ connections }) => connections));
}

export function serversIn(measurements: readonly Measurement[]): string[] {
  return [...new Set(measurements.map(({ server }) => server))].sort(
    (one, other) => Number(other === GATEHOUSE) - Number(one === GATEHOUSE),
  );
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

function shown(value: number, unit: Row['unit']): string {
  const text = unit === 'ms' || unit === 'MB' ? String(Math.round(value)) : value.toFixed(2);
  return unit === '' ? text : `${text} ${unit}`;
}

function count(value: number | undefined): string {
  return value === undefined || Number.isNaN(value) ? '' : Math.round(value).toLocaleString('en');
}

function fraction(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return '';
  return value < 10 ? value.toFixed(2) : value.toFixed(1);
}

/** What a reader asks first: how many per second on one core, how much memory, how fast it starts, and the others beside it. */
import type { Work } from '../fixture.ts';
import { GATEHOUSE } from '../servers/gatehouse.ts';
import { median } from './median.ts';
import { mostConnections, serversIn, table } from './tables.ts';
import { type StoreResult, shownServer } from './targets.ts';

const stores = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const;

const questions: readonly (readonly [string, Work])[] = [
  ['logins/s (Argon2id)', 'password'],
  ['tokens/s for a code, ES256', 'code'],
  ['the same, RS256', 'code-rs256'],
  ['refreshes/s, ES256', 'refresh'],
  ['the same, RS256', 'refresh-rs256'],
  ['introspections/s', 'introspection'],
  ['userinfo/s', 'userinfo'],
];

interface Column {
  readonly result: StoreResult;
  readonly server: string;
}

export function summary(results: readonly StoreResult[]): string {
  const columns = results.flatMap(result =>
    serversIn(result.measurements)
      .filter(server => server !== 'floor' && !server.startsWith('bare'))
      .map((server): Column => ({ result, server })),
  );
  const head = columns.map(({ result, server }) => `${shownServer(result.store, server)}, ${stores[result.store]}`);
  const rows = questions.map(([question, work]) => [question, ...columns.map(column => perSecond(column, work))]);
  const memory = ['memory after it, MB', ...columns.map(memoryOf)];
  const start = ['start, ms', ...columns.map(startOf)];
  return table(['on one core', ...head], [...rows, memory, start]);
}

function perSecond({ result: { measurements }, server }: Column, work: Work): string {
  const scored = mostConnections(measurements);
  const own = measurements.filter(
    entry => entry.work === work && entry.server === server && entry.loop === 'closed' && entry.connections === scored,
  );
  return own.length === 0 ? '' : Math.round(median(own.map(entry => entry.perSecond))).toLocaleString('en');
}

function memoryOf({ result, server }: Column): string {
  const size = result.memoryOf[server];
  return size === undefined ? '' : String(Math.round(size));
}

/** The first one is without compiled sources. */
function startOf({ result, server }: Column): string {
  const warm = result.starts.slice(1);
  return server === GATEHOUSE && warm.length > 0 ? String(Math.round(median(warm))) : '';
}

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { median } from '../report/median.ts';
import { type Compared, costByCpu, costOf, type Round } from './compare.ts';
import type { Options } from './options.ts';

export interface Report {
  readonly compared: Compared;
  /** Megabytes of the server with many, when all was done. */
  readonly memory: number | undefined;
  /** Whatever else is to be known, by name. */
  readonly notes?: Readonly<Record<string, unknown>>;
}

const MOST_COST = 1.3;
/** A second worker cannot bring all of its core: the load and the database need a part of it. */
const LEAST_GAIN = 1.6;

/** As a table for people, and as a file with every round. */
export function publish(options: Options, { compared, memory, notes = {} }: Report): void {
  const rows = [...compared].map(([work, rounds]) => rowOf(options, work, rounds));
  process.stdout.write(`\n${table(options, rows, memory)}\n${listOf(notes)}`);
  const { results, ...rest } = options;
  mkdirSync(results, { recursive: true });
  const name = `growth-${options.axis}-${options.store}-${new Date().toISOString().replaceAll(':', '-')}.json`;
  writeFileSync(join(results, name), `${JSON.stringify({ ...rest, rows, memory, notes }, null, 2)}\n`);
}

function rowOf({ axis }: Options, work: string, rounds: readonly Round[]) {
  const cost = costOf(rounds);
  // What more workers bring is the other way round.
  const [ratio, reached] = axis === 'workers' ? [1 / cost, 1 / cost >= LEAST_GAIN] : [cost, cost <= MOST_COST];
  const rate = (of: keyof Round) => Math.round(median(rounds.map(round => round[of].perSecond)));
  return { work, few: rate('few'), many: rate('many'), ratio, byCpu: costByCpu(rounds), reached, rounds };
}

function table(options: Options, rows: readonly ReturnType<typeof rowOf>[], memory: number | undefined): string {
  const { axis, store, few, many } = options;
  const sizeOf = (size: number) => (axis === 'churn' ? `hour ${size}` : `${size} ${axis}`);
  const [ratio, target] =
    axis === 'workers' ? ['gain', `at least ${LEAST_GAIN} ×`] : ['cost', `at most ${MOST_COST} ×`];
  const names = [store, `per second, ${sizeOf(few)}`, `per second, ${sizeOf(many)}`, ratio, 'cost by CPU'];
  const times = (value: number | undefined) => (value === undefined ? '' : `${value.toFixed(2)} ×`);
  const lines = rows.map(({ work, few, many, ratio, byCpu, reached }) => [
    ...[work, few, many, times(ratio), times(byCpu), target, reached ? 'yes' : '**no**'],
    memory === undefined ? '' : `${Math.round(memory)} MB`,
  ]);
  const head = [...names, 'target', 'reached', `memory, ${sizeOf(many)}`];
  return [head, head.map(() => '---'), ...lines].map(cells => `| ${cells.join(' | ')} |`).join('\n');
}

function listOf(notes: Readonly<Record<string, unknown>>): string {
  return Object.entries(notes)
    .map(([name, value]) => `- ${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}\n`)
    .join('');
}

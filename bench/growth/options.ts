import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { StoreName } from '../options.ts';

/** What grows. */
export const axes = ['tokens', 'applications', 'users', 'codes', 'workers', 'churn'] as const;
export type Axis = (typeof axes)[number];

export interface Options {
  readonly axis: Axis;
  readonly store: StoreName;
  /** What is compared: so many against so many; of churn, the virtual hour in which it is measured. */
  readonly few: number;
  readonly many: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  /** Live tokens in each server, where they are not what grows; of codes, the sessions that the load ends. */
  readonly tokens: number;
  /** Logins in a virtual hour. */
  readonly perHour: number;
  /** The folder for the file with every round. */
  readonly results: string;
}

const RESULTS = fileURLToPath(new URL('../results/', import.meta.url));

export const USAGE = `Usage: npm run bench:growth -- [options]

  --axis tokens|applications|users|codes|workers|churn|all   what grows (tokens)
  --store sqlite|postgres     (sqlite)
  --few N --many N            sizes that are compared (tokens 10000 and 10000000, applications 1 and 10000, users 1000 and
                              5000000, codes 10000 and 1000000, workers 1 and 2, churn: the virtual hours 2 and 24)
  --rounds N --seconds N      of each work and size (5 rounds of 4 s)
  --connections N             (64)
  --tokens N                  live tokens in each server, where they are not what grows; of codes, sessions to end (100000)
  --per-hour N                logins in a virtual hour of churn (20000)
  --results FOLDER            for the file with every round (bench/results)`;

const sizes: Readonly<Record<Axis, readonly [few: number, many: number]>> = {
  tokens: [10_000, 10_000_000],
  applications: [1, 10_000],
  users: [1000, 5_000_000],
  codes: [10_000, 1_000_000],
  workers: [1, 2],
  churn: [2, 24],
};

/** One for each axis that is asked for; undefined when that cannot be understood. */
export function readOptions(args: readonly string[]): Options[] | undefined {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        axis: { type: 'string', default: 'tokens' },
        store: { type: 'string', default: 'sqlite' },
        few: { type: 'string' },
        many: { type: 'string' },
        rounds: { type: 'string', default: '5' },
        seconds: { type: 'string', default: '4' },
        connections: { type: 'string', default: '64' },
        tokens: { type: 'string', default: '100000' },
        'per-hour': { type: 'string', default: '20000' },
        results: { type: 'string', default: RESULTS },
      },
    });
    const chosen = values.axis === 'all' ? axes : [oneOf(axes, values.axis)];
    // Ten thousand is little for one axis and much for another.
    if (chosen.length > 1 && (values.few ?? values.many) !== undefined) return undefined;
    return chosen.map(axis => ({
      axis,
      store: oneOf(['sqlite', 'postgres'], values.store),
      few: positive(values.few ?? sizes[axis][0]),
      many: positive(values.many ?? sizes[axis][1]),
      rounds: positive(values.rounds),
      seconds: positive(values.seconds),
      connections: positive(values.connections),
      tokens: positive(values.tokens),
      perHour: positive(values['per-hour']),
      results: values.results,
    }));
  } catch {
    return undefined;
  }
}

function oneOf<T extends string>(all: readonly T[], name: string): T {
  const known = all.find(one => one === name);
  if (known === undefined) throw new Error(`${name} is none of ${all.join(', ')}`);
  return known;
}

function positive(text: string | number): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`${text} is not a positive number`);
  return value;
}

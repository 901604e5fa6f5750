import { parseArgs } from 'node:util';
import { type Work, works } from './fixture.ts';
import type { Lookups } from './servers/floor/postgres.ts';

export type StoreName = 'sqlite' | 'postgres';

export interface Options {
  readonly stores: readonly StoreName[];
  readonly works: readonly Work[];
  /** Every round measures every server once, so that a slow minute of the machine hits them all. */
  readonly rounds: number;
  /** How long each measurement lasts. */
  readonly seconds: number;
  /** Live access tokens in each server, each with a refresh token and a grant of its own. */
  readonly tokens: number;
  /** Codes that can be exchanged, in each server. */
  readonly codes: number;
  /** Of the measurements that are scored. */
  readonly connections: number;
  /** Measured once in addition, to show how throughput and latency grow. */
  readonly alsoConnections: readonly number[];
  readonly peers: boolean;
  /** Servers that somebody else runs: name=url. */
  readonly byUrl: readonly string[];
  readonly floorLookups: Lookups;
  /** Requests that Gatehouse must have answered before its memory is read. */
  readonly memoryRequests: number;
  /** Latency, memory and password storm too, and not only the ratios. */
  readonly everything: boolean;
  readonly record: boolean;
  readonly publish: boolean;
}

export const HELP = `Usage: npm run bench -- [options]
  --store sqlite|postgres     only this one (both)
  --only introspection,…      of ${works.join(', ')} (all)
  --rounds N --seconds N      for the scores (11 rounds of 0.3 s)
  --connections N             for the scores (128; 1 and 16 are measured once in addition)
  --tokens N --codes N        in each server (40000, 60000)
  --no-peers                  Gatehouse and the floor alone
  --peer name=url             a server that runs elsewhere: see bench/servers/by-url.ts (may be repeated)
  --floor batched|single      look-ups of the floor on PostgreSQL: one statement for those of a turn, as Gatehouse, or one each
  --memory-requests N         answer so many before the memory is read (whatever the run came to; the target is 1000000)
  --quick                     one short round of everything, to see that it works
  --ratios                    only the ratios to the floor and the peers
  --record                    write bench/recorded.json, what bench:guard compares with
  --publish                   write the tables into docs/performance.md and the chart into docs/images`;

const QUICK = { rounds: 1, seconds: 0.3, tokens: 3000, codes: 6000, connections: 128 };
/** Many short rounds: where a neighbour takes the machine for a second, it spoils one of them and not a fifth. */
const FULL = { rounds: 11, seconds: 0.3, tokens: 40_000, codes: 60_000, connections: 128 };

export function readOptions(args: readonly string[]): Options | undefined {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        store: { type: 'string' },
        only: { type: 'string' },
        rounds: { type: 'string' },
        seconds: { type: 'string' },
        connections: { type: 'string' },
        tokens: { type: 'string' },
        codes: { type: 'string' },
        'no-peers': { type: 'boolean', default: false },
        peer: { type: 'string', multiple: true, default: [] },
        floor: { type: 'string', default: 'batched' },
        'memory-requests': { type: 'string', default: '0' },
        quick: { type: 'boolean', default: false },
        ratios: { type: 'boolean', default: false },
        record: { type: 'boolean', default: false },
        publish: { type: 'boolean', default: false },
      },
    });
    const usual = values.quick ? QUICK : FULL;
    return {
      stores: chosen(values.store, ['sqlite', 'postgres']),
      works: chosen(values.only, works),
      rounds: positive(values.rounds, usual.rounds),
      seconds: positive(values.seconds, usual.seconds),
      tokens: positive(values.tokens, usual.tokens),
      codes: positive(values.codes, usual.codes),
      connections: positive(values.connections, usual.connections),
      alsoConnections: values.ratios ? [] : [1, 16],
      peers: !values['no-peers'],
      byUrl: values.peer,
      floorLookups: chosen(values.floor, ['batched', 'single'])[0] ?? 'batched',
      memoryRequests: Number(values['memory-requests']),
      everything: !values.ratios,
      record: values.record,
      publish: values.publish,
    };
  } catch {
    return undefined;
  }
}

function chosen<T extends string>(text: string | undefined, all: readonly T[]): readonly T[] {
  if (text === undefined) return all;
  return text.split(',').map(name => {
    const known = all.find(one => one === name);
    if (known === undefined) throw new Error(`${name} is none of ${all.join(', ')}`);
    return known;
  });
}

function positive(text: string | undefined, usual: number): number {
  const value = text === undefined ? usual : Number(text);
  if (!(value > 0)) throw new Error(`${text} is not a positive number`);
  return value;
}

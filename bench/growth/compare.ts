import type { AnyWork, Target } from '../fixture.ts';
import { load, type Sample } from '../load/load.ts';
import { median } from '../report/median.ts';
import type { Options } from './options.ts';

export interface Rate {
  readonly perSecond: number;
  /** Microseconds for each, of the server and of the database behind it; undefined: not known. */
  readonly cpu: number | undefined;
}

/** How often something is done, with few and with many. */
export interface Pair {
  readonly few: () => Promise<Rate>;
  readonly many: () => Promise<Rate>;
}

export interface Round {
  readonly few: Rate;
  readonly many: Rate;
}

/** What is compared, by its name. */
export type Compared = ReadonlyMap<string, readonly Round[]>;

/** Both in turn, round for round: what disturbs the one then disturbs the other too. */
export async function compare(
  pairs: Readonly<Record<string, Pair>>,
  { rounds }: Pick<Options, 'rounds'>,
): Promise<Compared> {
  const compared = new Map<string, Round[]>(Object.keys(pairs).map(name => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    say(round === 0 ? 'Warming up…' : `Round ${round} of ${rounds}…`);
    for (const [name, { few, many }] of Object.entries(pairs)) {
      const rates = { few: await few(), many: await many() };
      // The first is for the compiler.
      if (round > 0) compared.get(name)?.push(rates);
    }
  }
  return compared;
}

/** One work, of a server with few and of one with many; never idle. */
export function pairOf(work: AnyWork, few: Target, many: Target, options: Options & { readonly most?: number }): Pair {
  const { seconds, connections, most } = options;
  const limits = { seconds, connections, ...(most !== undefined && { most }) };
  const rateOf = (target: Target) => async () => toRate(await load(target, work, limits));
  return { few: rateOf(few), many: rateOf(many) };
}

function toRate({ perSecond, serverCpu, databaseCpu = 0 }: Sample): Rate {
  return { perSecond, cpu: serverCpu === undefined ? undefined : serverCpu + databaseCpu };
}

/** How much more time one of many takes than one of few: the median of the rounds. */
export function costOf(rounds: readonly Round[]): number {
  return median(rounds.map(({ few, many }) => few.perSecond / many.perSecond));
}

/** The same in processor time, which other programs on the machine disturb least. */
export function costByCpu(rounds: readonly Round[]): number | undefined {
  const costs = rounds.map(({ few, many }) => (many.cpu ?? Number.NaN) / (few.cpu ?? Number.NaN));
  return costs.some(Number.isNaN) ? undefined : median(costs);
}

export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Interleaved rounds: in each, every server is measured in every work, so that a slow minute of the machine hits them all. */
import { readFileSync } from 'node:fs';
import type { Target, Work } from './fixture.ts';
import { load, type Sample } from './load/load.ts';
import type { RequestForm } from './load/request.ts';

export interface Measurement extends Sample {
  readonly work: Work;
  readonly server: string;
  readonly round: number;
}

export interface Plan {
  readonly works: readonly Work[];
  readonly rounds: number;
  /** Of one measurement. */
  readonly seconds: number;
  readonly connections: number;
}

/** For the compiler. */
const WARM_UP_SECONDS = 0.5;
/** A hash takes some 40 ms and is made one at a time: a few connections, and fewer rounds of a second each. */
const LOGIN = { connections: 4, seconds: 1 };
const LOGIN_ROUNDS = 5;
/** With as many requests as the connections can do; the first round does not count. */
export async function measure(
  targets: readonly Target[],
  plan: Plan,
  say: (line: string) => void = () => {},
): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (let round = 0; round <= plan.rounds; round++) {
    say(round === 0 ? 'warm-up…' : `round ${round} of ${plan.rounds}…`);
    for (const work of plan.works) {
      if (work === 'password' && round > LOGIN_ROUNDS) continue;
      for (const target of inOrder(targets, round)) {
        const form = target.requests[work];
        if (!form) continue;
        const sample = await load(target, work, limitsOf(work, form, plan, round));
        if (round > 0) measurements.push({ ...sample, work, server: target.name, round });
      }
    }
  }
  return measurements;
}

/** The first one changes from round to round. */
function inOrder(targets: readonly Target[], round: number): Target[] {
  return targets.map((_, index) => targets[(index + round) % targets.length] as Target);
}

function limitsOf(work: Work, form: RequestForm, { rounds, seconds, connections }: Plan, round: number) {
  if (work === 'password') return LOGIN;
  const limits = { connections, seconds: round === 0 ? WARM_UP_SECONDS : seconds };
  // A share for each round of what can be used once, so that the last one finds as many as the first.
  return form.values?.use === 'once' ? { ...limits, most: Math.floor(linesIn(form) / (rounds + 1)) } : limits;
}

function linesIn({ values }: RequestForm): number {
  return values ? readFileSync(values.file, 'utf8').trim().split('\n').length : 0;
}

/** Processor time of the server for a request, in microseconds: what other programs disturb least. */
export function serverTime({ serverCpu }: Sample): number {
  return serverCpu ?? Number.NaN;
}

export function totalTime({ serverCpu, databaseCpu = 0 }: Sample): number {
  return (serverCpu ?? Number.NaN) + databaseCpu;
}

export interface Side {
  readonly server: string;
  readonly work: Work;
}

/** Round by round: both sides of a ratio saw the same machine. */
export function ratios(
  measurements: readonly Measurement[],
  one: Side,
  other: Side,
  of: (sample: Sample) => number = serverTime,
): number[] {
  const find = ({ server, work }: Side, round: number) =>
    measurements.find(entry => entry.server === server && entry.work === work && entry.round === round);
  return [...new Set(measurements.map(({ round }) => round))].flatMap(round => {
    const [above, below] = [find(one, round), find(other, round)];
    return above && below ? [of(above) / of(below)] : [];
  });
}

/** Between the two values that are nearest to it. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * part;
  const [below, above] = [sorted[Math.floor(at)] ?? Number.NaN, sorted[Math.ceil(at)] ?? Number.NaN];
  return below + (above - below) * (at - Math.floor(at));
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function medianOf(
  measurements: readonly Measurement[],
  { server, work }: Side,
  of: (sample: Sample) => number | undefined = serverTime,
): number {
  const own = measurements.filter(entry => entry.server === server && entry.work === work);
  return median(own.map(entry => of(entry) ?? Number.NaN));
}

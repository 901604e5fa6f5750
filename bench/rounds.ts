/** Tables of what `measure` found, where every target is one request, with the middle and half of the rounds. */
import { type Measurement, quantile, serverTime } from './measure.ts';

export type Microseconds = (name: string) => number;

/** Within a round both sides of a ratio saw the same machine. */
export function reportRounds(
  measurements: readonly Measurement[],
  ratiosOf: (time: Microseconds) => Readonly<Record<string, number>>,
): void {
  const names = [...new Set(measurements.map(({ server }) => server))];
  const times = names.map(name => {
    const own = measurements.filter(({ server }) => server === name).map(serverTime);
    return `| ${name} | ${middle(own, 1)} |`;
  });
  process.stdout.write(`\n| | µs | half of the rounds |\n|---|---|---|\n${times.join('\n')}\n`);
  const rounds = [...new Set(measurements.map(({ round }) => round))].map(round =>
    ratiosOf(timesIn(measurements, round)),
  );
  const ratios = Object.keys(rounds[0] ?? {}).map(name => {
    const each = rounds.map(one => one[name] ?? Number.NaN);
    return `| ${name} | ${middle(each, 2)} |`;
  });
  process.stdout.write(`\n| ratio within a round | | half of the rounds |\n|---|---|---|\n${ratios.join('\n')}\n`);
}

function middle(values: readonly number[], digits: number): string {
  const [low, median, high] = [0.25, 0.5, 0.75].map(part => quantile(values, part).toFixed(digits));
  return `${median} | ${low} to ${high}`;
}

function timesIn(measurements: readonly Measurement[], round: number): Microseconds {
  const own = measurements.filter(measurement => measurement.round === round);
  return name => own.filter(({ server }) => server === name).map(serverTime)[0] ?? Number.NaN;
}

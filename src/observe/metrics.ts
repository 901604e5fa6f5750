/**
 * The few kinds of metric that Gatehouse needs, and the text format of Prometheus (version 0.0.4) they are shown in.
 * Series are named when they are made, never while something is counted: counting adds to a number that is there.
 */
export type Kind = 'counter' | 'gauge' | 'histogram';

/** How the values of several processes become the value of them all. */
export type Together = 'sum' | 'least' | 'greatest';

/** One metric at one moment, plain enough to be sent from process to process. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly kind: Kind;
  readonly together: Together;
  /** Everything in front of the value, and the value. */
  readonly samples: readonly (readonly [series: string, value: number])[];
}

export type Labels = Readonly<Record<string, string>>;

export interface Source {
  family(): Family;
}

/** Counts by a label whose values are all known beforehand, so that each is there from the start, as 0. */
export class Counters<Value extends string> implements Source {
  readonly #name: string;
  readonly #help: string;
  readonly #label: string;
  readonly #counts: Record<Value, number>;

  constructor(name: string, help: string, label: string, values: readonly Value[]) {
    this.#name = name;
    this.#help = help;
    this.#label = label;
    this.#counts = Object.fromEntries(values.map(value => [value, 0])) as Record<Value, number>;
  }

  add(value: Value): void {
    this.#counts[value]++;
  }

  family(): Family {
    const samples = Object.entries<number>(this.#counts).map(
      ([value, count]) => [series(this.#name, { [this.#label]: value }), count] as const,
    );
    return { name: this.#name, help: this.#help, kind: 'counter', together: 'sum', samples };
  }
}

/** A distribution of durations. They are given in milliseconds, as performance.now() has them, and shown in seconds. */
export class Histogram {
  readonly #bounds: readonly number[];
  readonly #counts: Float64Array;
  #sum = 0;
  #count = 0;

  /** Upper bounds of the buckets, in seconds, rising. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(milliseconds: number): void {
    const seconds = milliseconds / 1000;
    this.#sum += seconds;
    this.#count++;
    const bounds = this.#bounds;
    let bucket = 0;
    while (bucket < bounds.length && seconds > (bounds[bucket] as number)) bucket++;
    (this.#counts[bucket] as number)++;
  }

  get count(): number {
    return this.#count;
  }

  /** Buckets are cumulative, as the format has them. */
  samples(name: string, labels: Labels): [string, number][] {
    let below = 0;
    const buckets = [...this.#bounds.map(String), '+Inf'].map((le, index): [string, number] => {
      below += this.#counts[index] as number;
      return [series(`${name}_bucket`, { ...labels, le }), below];
    });
    return [...buckets, [series(`${name}_sum`, labels), this.#sum], [series(`${name}_count`, labels), this.#count]];
  }
}

export function series(name: string, labels: Labels = {}): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${escaped(value)}"`);
  return pairs.length === 0 ? name : `${name}{${pairs.join(',')}}`;
}

const escaped = (value: string) => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export function exposition(families: readonly Family[]): string {
  return families
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, help, kind, samples }) => {
      const lines = samples.map(([text, value]) => `${text} ${value}\n`);
      return `# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n${lines.join('')}`;
    })
    .join('');
}

const join: Readonly<Record<Together, (a: number, b: number) => number>> = {
  sum: (a, b) => a + b,
  least: Math.min,
  greatest: Math.max,
};

/** The metrics of several processes as those of one. */
export function merged(processes: readonly (readonly Family[])[]): Family[] {
  const found = new Map<string, { family: Family; values: Map<string, number> }>();
  for (const family of processes.flat()) {
    const { values } = found.get(family.name) ?? remember(found, family);
    for (const [text, value] of family.samples) {
      const before = values.get(text);
      values.set(text, before === undefined ? value : join[family.together](before, value));
    }
  }
  return [...found.values()].map(({ family, values }) => ({ ...family, samples: [...values] }));
}

function remember(found: Map<string, { family: Family; values: Map<string, number> }>, family: Family) {
  const entry = { family, values: new Map<string, number>() };
  found.set(family.name, entry);
  return entry;
}

/** What a process leaves behind: its counts stay counted, its gauges are gone. */
export function afterlife(families: readonly Family[]): Family[] {
  return families.filter(({ kind }) => kind !== 'gauge');
}

/**
 * The kinds of metric that Gatehouse needs, and the text format of Prometheus (version 0.0.4). Names and labels are formatted
 * only at a collection; recording a value just adds to a number.
 */
export type Kind = 'counter' | 'gauge' | 'histogram';

/** How the values of several processes become one value. */
export type Aggregation = 'sum' | 'min' | 'max';

/** A metric family at one collection: plain data that can be sent from a worker to the primary. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly kind: Kind;
  readonly aggregation: Aggregation;
  /** `series` is the text in front of the value: name and labels. */
  readonly samples: readonly (readonly [series: string, value: number])[];
}

export type Labels = Readonly<Record<string, string>>;

export interface Collector {
  family(): Family;
}

/** Counters by one label. The label's values are known in advance, so each series exists from the start, with the value 0. */
export class Counters<Value extends string> implements Collector {
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

  add(value: Value, count = 1): void {
    this.#counts[value] += count;
  }

  family(): Family {
    const samples = Object.entries<number>(this.#counts).map(
      ([value, count]) => [series(this.#name, { [this.#label]: value }), count] as const,
    );
    return { name: this.#name, help: this.#help, kind: 'counter', aggregation: 'sum', samples };
  }
}

/** A histogram of durations. `observe` takes milliseconds, as performance.now() has them; the samples are in seconds. */
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

/** The name and the labels of a text that `series` made. */
export function readSeries(text: string): { readonly name: string; readonly labels: Labels } {
  const [, name = text, pairs = ''] = /^([^{]*)(?:\{(.*)\})?$/s.exec(text) ?? [];
  const labels = [...pairs.matchAll(/([^=,]+)="((?:[^"\\]|\\.)*)"/g)];
  return { name, labels: Object.fromEntries(labels.map(([, label = '', value = '']) => [label, unescaped(value)])) };
}

const unescaped = (value: string) => value.replace(/\\(.)/g, (_, one: string) => (one === 'n' ? '\n' : one));

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

const aggregate: Readonly<Record<Aggregation, (a: number, b: number) => number>> = {
  sum: (a, b) => a + b,
  min: Math.min,
  max: Math.max,
};

/** Merges the metrics of several processes into one list, each by its aggregation. */
export function mergeFamilies(processes: readonly (readonly Family[])[]): Family[] {
  const byName: FamiliesByName = new Map();
  for (const family of processes.flat()) {
    const { values } = byName.get(family.name) ?? addFamily(byName, family);
    for (const [text, value] of family.samples) {
      const before = values.get(text);
      values.set(text, before === undefined ? value : aggregate[family.aggregation](before, value));
    }
  }
  return [...byName.values()].map(({ family, values }) => ({ ...family, samples: [...values] }));
}

type FamiliesByName = Map<string, { readonly family: Family; readonly values: Map<string, number> }>;

function addFamily(byName: FamiliesByName, family: Family) {
  const entry = { family, values: new Map<string, number>() };
  byName.set(family.name, entry);
  return entry;
}

/** The metrics of an exited process that stay in the totals: its counters and histograms. Its gauges describe nothing any more. */
export function withoutGauges(families: readonly Family[]): Family[] {
  return families.filter(({ kind }) => kind !== 'gauge');
}

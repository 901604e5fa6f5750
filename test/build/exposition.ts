import assert from 'node:assert/strict';

/** The text format of Prometheus, read strictly: whatever the format does not allow fails the test. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface ReadFamily {
  readonly help: string;
  readonly type: string;
  readonly samples: Sample[];
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,(?=[a-zA-Z_])|$)/y;

export function readExposition(text: string): Map<string, ReadFamily> {
  assert(text.endsWith('\n'), 'the last line must end');
  const families = new Map<string, ReadFamily>();
  const seen = new Set<string>();
  let help: { name: string; text: string } | undefined;
  let open: { name: string; family: ReadFamily } | undefined;
  for (const line of text.slice(0, -1).split('\n')) {
    const comment = new RegExp(`^# (HELP|TYPE) (${NAME}) (.+)$`).exec(line);
    if (comment) {
      const [, word, name = '', rest = ''] = comment;
      if (word === 'HELP') {
        help = { name, text: rest };
        continue;
      }
      assert.equal(help?.name, name, `TYPE without its HELP: ${line}`);
      assert(['counter', 'gauge', 'histogram'].includes(rest), line);
      assert.equal(families.has(name), false, `${name} twice`);
      open = { name, family: { help: help?.text ?? '', type: rest, samples: [] } };
      families.set(name, open.family);
      continue;
    }
    const parts = new RegExp(`^(${NAME})(?:\\{(.*)\\})? (-?[0-9.]+(?:e[+-]?[0-9]+)?|[+-]Inf|NaN)$`).exec(line);
    assert(parts, `not a sample: ${line}`);
    const [, name = '', labels = '', value = ''] = parts;
    assert(open, `a sample before its TYPE: ${line}`);
    const suffix = name.slice(open.name.length);
    assert(name.startsWith(open.name), `${name} among the samples of ${open.name}`);
    assert((open.family.type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']).includes(suffix), line);
    const series = line.slice(0, line.lastIndexOf(' '));
    assert.equal(seen.has(series), false, `${series} twice`);
    seen.add(series);
    open.family.samples.push({ name, labels: readLabels(labels), value: Number(value.replace('Inf', 'Infinity')) });
  }
  for (const [name, family] of families) {
    assert(family.samples.length > 0, `${name} has no sample`);
    assert.match(name, /^gatehouse_/);
    assert.equal(
      name.endsWith('_total'),
      family.type === 'counter',
      `${name}: counters, and they alone, end in _total`,
    );
    if (family.type === 'histogram') checkBuckets(name, family);
    if (family.type !== 'gauge') for (const { value } of family.samples) assert(value >= 0, name);
  }
  return families;
}

function readLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < text.length) {
    const found = LABEL.exec(text);
    assert(found, `not labels: {${text}}`);
    const [, name = '', value = ''] = found;
    assert.equal(Object.hasOwn(labels, name), false, `label ${name} twice`);
    labels[name] = value;
    if (LABEL.lastIndex === 0) break;
  }
  return labels;
}

/** For each series: rising bounds, rising counts, the last one without bound and equal to _count. */
function checkBuckets(name: string, { samples }: ReadFamily): void {
  const groups = new Map<string, Sample[]>();
  for (const sample of samples) {
    const { le: _, ...rest } = sample.labels;
    const key = JSON.stringify(rest);
    groups.set(key, [...(groups.get(key) ?? []), sample]);
  }
  for (const [key, group] of groups) {
    const buckets = group.filter(sample => sample.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels }) => Number(labels.le?.replace('Inf', 'Infinity')));
    assert.deepEqual(
      bounds,
      [...new Set(bounds)].sort((a, b) => a - b),
      `${name}${key}: bounds`,
    );
    assert.equal(bounds.at(-1), Number.POSITIVE_INFINITY);
    const counts = buckets.map(({ value }) => value);
    assert.deepEqual(
      counts,
      counts.toSorted((a, b) => a - b),
      `${name}${key}: counts`,
    );
    const count = group.find(sample => sample.name === `${name}_count`);
    assert.equal(count?.value, counts.at(-1), `${name}${key}: _count`);
    assert(
      group.some(sample => sample.name === `${name}_sum`),
      `${name}${key}: _sum`,
    );
  }
}

/** The value of one series; 0 where it has not been seen yet. */
export function sampleOf(text: string, name: string, labels: Readonly<Record<string, string>> = {}): number {
  const wanted = JSON.stringify(Object.entries(labels).sort());
  for (const { samples } of readExposition(text).values()) {
    const found = samples.find(
      sample => sample.name === name && JSON.stringify(Object.entries(sample.labels).sort()) === wanted,
    );
    if (found) return found.value;
  }
  return 0;
}

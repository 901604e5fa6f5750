/**
 * `npm run bench`: requests per second, processor time, memory and start of Gatehouse, the floor and the peers. The options
 * are in docs/performance.md.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { canPin } from './child.ts';
import { titles, works } from './fixture.ts';
import { endLoad, type Sample } from './load/load.ts';
import { type Measurement, measure, median, medianOf, type Plan, ratios } from './measure.ts';
import { choice, choices, parse, positive, type StoreName, say, stores } from './options.ts';
import { residentMemory } from './processor.ts';
import { GATEHOUSE } from './servers/place.ts';
import { openStage } from './stage.ts';

interface StoreResult {
  readonly store: StoreName;
  readonly measurements: readonly Measurement[];
  /** Milliseconds; the first without compiled sources. */
  readonly starts: readonly number[];
  /** MB. */
  readonly idleMemory: number | undefined;
  readonly memory: Readonly<Record<string, number | undefined>>;
}

const QUICK = { rounds: '1', seconds: '0.3', tokens: '3000', codes: '6000' };
const FULL = { rounds: '11', seconds: '0.3', tokens: '40000', codes: '60000' };
const STARTS = 6;
const RESULTS = new URL('results/', import.meta.url);

const { values } = parse({
  options: {
    store: { type: 'string' },
    only: { type: 'string' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    connections: { type: 'string', default: '128' },
    tokens: { type: 'string' },
    codes: { type: 'string' },
    alg: { type: 'string', default: 'ES256' },
    'no-peers': { type: 'boolean', default: false },
    peer: { type: 'string', multiple: true, default: [] },
    quick: { type: 'boolean', default: false },
  },
});
const usual = values.quick ? QUICK : FULL;
const plan: Plan = {
  works: choices(values.only, works),
  rounds: positive(values.rounds ?? usual.rounds),
  seconds: positive(values.seconds ?? usual.seconds),
  connections: positive(values.connections),
};
const contents = { tokens: positive(values.tokens ?? usual.tokens), codes: positive(values.codes ?? usual.codes) };
const alg = choice(values.alg, ['ES256', 'RS256', 'EdDSA'] as const);

try {
  const results: StoreResult[] = [];
  for (const store of choices(values.store, stores)) results.push(await measureStore(store));
  const text = markdown(results);
  process.stdout.write(`\n${text}`);
  mkdirSync(RESULTS, { recursive: true });
  const name = new Date().toISOString().replaceAll(':', '-');
  writeFileSync(new URL(`${name}.json`, RESULTS), `${JSON.stringify({ plan, contents, results }, null, 2)}\n`);
  writeFileSync(new URL(`${name}.md`, RESULTS), text);
  say(`Written to bench/results/${name}.json and .md`);
} finally {
  endLoad();
}

async function measureStore(store: StoreName): Promise<StoreResult> {
  say(`${store}: preparing ${contents.tokens} live tokens and ${contents.codes} codes for each server…`);
  const stage = await openStage(store, {
    ...contents,
    logouts: contents.codes,
    peers: !values['no-peers'],
    byUrl: values.peer,
    starts: STARTS,
    client: { id_token_signed_response_alg: alg },
  });
  const measurements = await measure(stage.targets, plan, line => say(`${store}: ${line}`));
  const memory = Object.fromEntries(stage.targets.map(({ name, pid = 0 }) => [name, residentMemory(pid)]));
  await stage.close();
  const { starts, idleMemory } = stage;
  return { store, measurements, starts, idleMemory, memory };
}

function markdown(results: readonly StoreResult[]): string {
  const pinning = canPin ? 'servers on one core, the load on another' : 'nothing pinned to a core';
  const setting = `Node.js ${process.version}, ${cpus().length} × ${cpus()[0]?.model}; ${pinning}. ${contents.tokens} live \
tokens, ${alg} by Gatehouse and ES256 by the others, ${plan.connections} connections, medians of ${plan.rounds} interleaved rounds of ${plan.seconds} s. Every \
commit is synced to the disk before its answer.`;
  const parts = [setting];
  for (const result of results) parts.push(`### ${result.store}`, serverTable(result), remarks(result));
  return `${parts.join('\n\n')}\n`;
}

function serverTable({ measurements }: StoreResult): string {
  const servers = [...new Set(measurements.map(({ server }) => server))].sort(
    (one, other) => Number(other === GATEHOUSE) - Number(one === GATEHOUSE),
  );
  const rows = works.flatMap(work =>
    servers.flatMap(server => {
      const middle = (of: (sample: Sample) => number | undefined) => medianOf(measurements, { server, work }, of);
      const perSecond = middle(sample => sample.perSecond);
      if (Number.isNaN(perSecond)) return [];
      const share = median(ratios(measurements, { server: GATEHOUSE, work }, { server, work }));
      const latency = [fraction(middle(({ p50 }) => p50)), fraction(middle(({ p99 }) => p99))];
      const cpu = [count(middle(({ serverCpu }) => serverCpu)), fraction(share)];
      return [
        [titles[work], server, count(perSecond), ...latency, ...cpu, count(middle(sample => sample.databaseCpu))],
      ];
    }),
  );
  const cpu = ['server CPU µs', 'gatehouse, multiple of it', 'database CPU µs'];
  const head = ['work', 'server', 'requests/s', 'p50 ms', 'p99 ms', ...cpu];
  return [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n');
}

function remarks({ measurements, memory, idleMemory, starts }: StoreResult): string {
  const busiest = Math.max(...measurements.map(({ generatorBusy }) => generatorBusy));
  const sizes = Object.entries(memory).map(([server, size]) => `${server} ${count(size)} MB`);
  return [
    `- The generator used at most ${Math.round(busiest * 100)} % of its core.`,
    `- Start of Gatehouse without compiled sources: ${count(starts[0])} ms.`,
    `- Memory after all of it: ${sizes.join(', ')} (Gatehouse idle: ${count(idleMemory)} MB).`,
  ].join('\n');
}

function count(value: number | undefined): string {
  return value === undefined || Number.isNaN(value) ? '' : Math.round(value).toLocaleString('en');
}

function fraction(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return '';
  return value < 10 ? value.toFixed(2) : value.toFixed(1);
}

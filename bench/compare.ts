/**
 * `npm run bench:compare -- OTHER_CHECKOUT [--store postgres] [--only refresh,code] [--rounds 21]`: what this checkout costs
 * against another one. Both servers run, each with a store of its own that its own checkout filled; one process loads them in
 * alternating short rounds. A figure above 1 means that this checkout takes more processor time for a request.
 */
import { join, resolve } from 'node:path';
import { type Work, works } from './fixture.ts';
import { endLoad } from './load/load.ts';
import { measure, median, medianOf, ratios } from './measure.ts';
import { choice, choices, parse, positive, stores, wrongUsage } from './options.ts';
import { openPlace, ROOT, type Started } from './servers/place.ts';

type Gatehouse = typeof import('./servers/gatehouse.ts');

const { values, positionals } = parse({
  allowPositionals: true,
  options: {
    store: { type: 'string', default: 'sqlite' },
    only: { type: 'string', default: 'introspection,userinfo,refresh,code' },
    rounds: { type: 'string', default: '21' },
    seconds: { type: 'string', default: '0.5' },
    connections: { type: 'string', default: '128' },
    tokens: { type: 'string', default: '20000' },
    codes: { type: 'string', default: '100000' },
  },
});
const store = choice(values.store, stores);
const other = resolve(positionals[0] ?? wrongUsage('Usage: npm run bench:compare -- OTHER_CHECKOUT [options]'));
const contents = { tokens: positive(values.tokens), codes: positive(values.codes), logouts: positive(values.codes) };
const plan = {
  works: choices(values.only, works),
  rounds: positive(values.rounds),
  seconds: positive(values.seconds),
  connections: positive(values.connections),
};
const atEnd: (() => Promise<void>)[] = [];
try {
  const targets = [];
  for (const [name, root] of [
    ['other', other],
    ['this', ROOT],
  ] as const) {
    const { target } = await startFrom(root);
    targets.push({ ...target, name });
  }
  const measurements = await measure(targets, plan);
  for (const work of plan.works) report(work, measurements);
} finally {
  endLoad();
  for (const end of atEnd.reverse()) await end();
}

async function startFrom(root: string): Promise<Started> {
  const { prepareGatehouse, startGatehouse }: Gatehouse = await import(join(root, 'bench/servers/gatehouse.ts'));
  const place = await openPlace(store);
  atEnd.push(place.close);
  await prepareGatehouse(place, contents);
  const server = await startGatehouse(place);
  atEnd.push(server.stop);
  return server;
}

function report(work: Work, measurements: Awaited<ReturnType<typeof measure>>): void {
  const sides = [
    { server: 'this', work },
    { server: 'other', work },
  ] as const;
  const found = ratios(measurements, ...sides).sort((a, b) => a - b);
  const [own, others] = sides.map(side => medianOf(measurements, side).toFixed(1));
  const [ownDb, othersDb] = sides.map(side =>
    medianOf(measurements, side, ({ databaseCpu }) => databaseCpu).toFixed(0),
  );
  const quarter = (part: number) => (found[Math.floor((found.length - 1) * part)] ?? Number.NaN).toFixed(3);
  const database = store === 'postgres' ? `; in the database ${othersDb} → ${ownDb} µs` : '';
  process.stdout.write(
    `${store} ${work}: ${median(found).toFixed(3)} (quartiles ${quarter(0.25)} to ${quarter(0.75)}), ${others} → ${own} µs${database}\n`,
  );
}

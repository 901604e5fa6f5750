/**
 * `npm run bench:compare -- OTHER_CHECKOUT [--store postgres] [--only refresh,code] [--rounds 21]`: what this checkout costs
 * against another one. One process loads both servers in alternating short rounds. A figure above 1 means that this checkout takes more processor time for a request.
 */
import { resolve } from 'node:path';
import { type Work, works } from './fixture.ts';
import { endLoad } from './load/load.ts';
import { type Measurement, measure, quantile, ratios, serverTime } from './measure.ts';
import { choice, choices, parse, positive, stores, wrongUsage } from './options.ts';
import { OTHER, openTwoCheckouts, THIS } from './two-checkouts.ts';

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
try {
  const two = await openTwoCheckouts(store, other, contents);
  try {
    const measurements = await measure(two.targets, plan);
    for (const work of plan.works) report(work, measurements);
  } finally {
    await two.close();
  }
} finally {
  endLoad();
}

/**
 * The median of the ratios of the rounds, and the ratio of the lower quartiles: on a busy machine every disturbance makes a round
 * dearer, so that the cheaper rounds of both sides are more alike.
 */
function report(work: Work, measurements: readonly Measurement[]): void {
  const [own, others] = [THIS, OTHER].map(server =>
    measurements.filter(entry => entry.server === server && entry.work === work),
  ) as [Measurement[], Measurement[]];
  const found = ratios(measurements, { server: THIS, work }, { server: OTHER, work });
  const figures = (of: (sample: Measurement) => number) => {
    const [before, after] = [others, own].map(side => quantile(side.map(of), 0.25)) as [number, number];
    return `${(after / before).toFixed(3)} (${before.toFixed(0)} → ${after.toFixed(0)} µs)`;
  };
  const database =
    store === 'postgres' ? `, of the database ${figures(({ databaseCpu }) => databaseCpu ?? Number.NaN)}` : '';
  const range = `${quantile(found, 0.25).toFixed(3)} to ${quantile(found, 0.75).toFixed(3)}`;
  process.stdout.write(
    `${store} ${work}: ${quantile(found, 0.5).toFixed(3)} (half of the rounds ${range}); lower quartiles ${figures(serverTime)}${database}\n`,
  );
}

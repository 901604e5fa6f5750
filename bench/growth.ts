/**
 * `npm run bench:growth`: whether a request costs the same when there is much more of everything. Two servers, one with few
 * and one with many tokens or applications, are measured in alternating rounds.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkAnswers } from './check.ts';
import { type Target, users } from './fixture.ts';
import { endLoad } from './load/load.ts';
import { type Measurement, measure, median, medianOf, ratios, totalTime } from './measure.ts';
import { choice, choices, parse, positive, type StoreName, say, stores } from './options.ts';
import { residentMemory } from './processor.ts';
import { addApplications, requestOfEach } from './servers/applications.ts';
import { fill } from './servers/fill.ts';
import { provisionGatehouse, startGatehouse } from './servers/gatehouse.ts';
import { openPlace } from './servers/place.ts';

/** What grows, and from how many to how many. */
const axes = { tokens: [10_000, 10_000_000], applications: [1, 10_000] } as const;
type Axis = keyof typeof axes;
const WORKS = ['introspection', 'refresh'] as const;
const MAX_COST = 1.3;
/** As many as a machine with these tables would have. */
const POSTGRES = { max_wal_size: '16GB', shared_buffers: '1GB' };

const { values } = parse({
  options: {
    axis: { type: 'string', default: 'tokens' },
    store: { type: 'string' },
    few: { type: 'string' },
    many: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    connections: { type: 'string', default: '64' },
    /** Where applications grow. */
    tokens: { type: 'string', default: '100000' },
    results: { type: 'string', default: fileURLToPath(new URL('results/', import.meta.url)) },
  },
});
const axis = choice(values.axis, Object.keys(axes) as Axis[]);
const sizes = {
  few: positive(values.few ?? String(axes[axis][0])),
  many: positive(values.many ?? String(axes[axis][1])),
};
const plan = {
  works: WORKS,
  rounds: positive(values.rounds),
  seconds: positive(values.seconds),
  connections: positive(values.connections),
};
for (const store of choices(values.store, stores)) await measureGrowth(store);

async function measureGrowth(store: StoreName): Promise<void> {
  const atEnd: (() => Promise<void>)[] = [];
  try {
    const targets: Target[] = [];
    for (const name of ['few', 'many'] as const) {
      say(`${store}: making ${sizes[name]} ${axis}…`);
      const place = await openPlace(store, POSTGRES);
      atEnd.push(place.close);
      await provisionGatehouse(
        place,
        users.map(({ password: _, ...user }) => user),
      );
      if (axis === 'tokens') await fill(place, { tokens: sizes[name] });
      else await addApplications(place, sizes[name], positive(values.tokens));
      const { target, stop } = await startGatehouse(place);
      atEnd.push(stop);
      targets.push({ ...target, name, requests: requestsOf(target) });
    }
    for (const target of targets) await checkAnswers(target);
    const measurements = await measure(targets, plan, say);
    for (const target of targets) await checkAnswers(target);
    report(store, measurements, residentMemory(targets[1]?.pid ?? 0));
  } finally {
    endLoad();
    for (const end of atEnd.reverse()) await end();
  }
}

function requestsOf({ requests: { introspection, refresh } }: Target): Target['requests'] {
  if (!introspection || !refresh) throw new Error('Gatehouse has both');
  if (axis === 'tokens') return { introspection, refresh };
  return { introspection: requestOfEach(introspection), refresh: requestOfEach(refresh) };
}

/** As a table, and as a file with every round. The cost is that of the server and its database together. */
function report(store: StoreName, measurements: readonly Measurement[], memory: number | undefined): void {
  const rows = WORKS.map(work => {
    const sides = [
      { server: 'many', work },
      { server: 'few', work },
    ] as const;
    const [many, few] = sides.map(side => Math.round(medianOf(measurements, side, totalTime)));
    return { work, few, many, cost: median(ratios(measurements, ...sides, totalTime)) };
  });
  const head = `| ${store} | µs, ${sizes.few} ${axis} | µs, ${sizes.many} ${axis} | cost | at most ${MAX_COST} × |`;
  const lines = rows.map(
    ({ work, few, many, cost }) =>
      `| ${work} | ${few} | ${many} | ${cost.toFixed(2)} × | ${cost <= MAX_COST ? 'yes' : '**no**'} |`,
  );
  const size = memory === undefined ? '' : `\nMemory with ${sizes.many} ${axis}: ${Math.round(memory)} MB\n`;
  process.stdout.write(`\n${[head, '|---|---|---|---|---|', ...lines].join('\n')}\n${size}`);
  mkdirSync(values.results, { recursive: true });
  const name = `growth-${axis}-${store}-${new Date().toISOString().replaceAll(':', '-')}.json`;
  const all = { axis, store, sizes, plan, rows, memory, measurements };
  writeFileSync(join(values.results, name), `${JSON.stringify(all, null, 2)}\n`);
}
